# kernlab's ksvm (Debian: r-cran-kernlab). It solves the problem in one iteration.
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "..", "r", "stochopt.R"))
suppressMessages(library(kernlab))

stochopt_main(stochopt_method(
  name = "kernlab ksvm", version = 1, tasks = "svm", serve = "data",

  init = function(run) {
    if (run$params$kernel != "gaussian") stop("only the Gaussian kernel is supported")
    list(alpha = rep(0, run$n), bias = 0)
  },

  advance = function(s, run, t, block) {
    X <- run$X
    kernel <- rbfdot(sigma = run$params$gamma)
    m <- ksvm(X, factor(run$y), type = "C-svc", kernel = kernel, C = run$params$C, scaled = FALSE, fit = FALSE)
    at <- alphaindex(m)[[1]]
    s$alpha[at] <- alpha(m)[[1]] * run$y[at]
    # kernlab chooses the positive class; the coefficients determine the sign.
    s$bias <- -b(m) * sign(sum(coef(m)[[1]] * s$alpha[at]))
    stochopt_end("converged", s, at = t + 1, reason = "to the tolerance of ksvm")
  },

  state = function(s, run) list(alpha = s$alpha, bias = s$bias)))
