# Incremental PCA by blocks. Each update takes the k leading left singular vectors of a matrix with the
# current basis, scaled by its singular values, and the samples of a block as columns.
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "stochopt.R"))

stochopt_main(stochopt_method(
  name = "Incremental PCA by blocks, in R", version = 1, tasks = "pca", serve = "samples", rank = "fixed",
  params = list(list(name = "block", kind = "int", min = 1, default = 10, doc = "samples per decomposition")),

  init = function(run) list(B = qr.Q(qr(matrix(rnorm(run$d * run$k), run$d))), scale = rep(0, run$k), rest = NULL),

  advance = function(s, run, t, block) {
    rows <- rbind(s$rest, block)
    size <- run$params$block
    while (nrow(rows) >= size) {
      both <- svd(cbind(s$B %*% diag(s$scale, run$k), t(rows[1:size, , drop = FALSE])), nu = run$k, nv = 0)
      s$B <- both$u
      s$scale <- both$d[1:run$k]
      rows <- rows[-(1:size), , drop = FALSE]
    }
    s$rest <- rows
    s
  },

  state = function(s, run) list(U = s$B)))
