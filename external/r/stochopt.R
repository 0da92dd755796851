# Methods in R for stochopt, using protocol 1 (docs/external.md). Requires only base R: the messages
# are small, and the functions below read and write their JSON.
#
# A method is a list of functions; stochopt_main runs it:
#
#   source(file.path(Sys.getenv("STOCHOPT_R", "."), "stochopt.R"))
#   stochopt_main(stochopt_method(
#     name = "My method", version = 1, tasks = "pca", serve = "samples",
#     init = function(run) list(U = ...),               # returns the state s of the method
#     advance = function(s, run, t, block) { ...; s },   # iterations t+1, t+2, ..., one per row of block
#     state = function(s, run) list(U = s$U)))
#
# Source this file first: all later output goes to the log.

# Declares a method with the functions `init`, `advance` and `state` above. advance may return
# stochopt_end("converged", s, at, reason). With step_size the method accepts `step:`, and run$step(t)
# is the step size. counters names the costs that it reports, whose cumulative values are in s$cost.
stochopt_method <- function(name, version, tasks, init, advance, state, serve = character(), params = list(), counters = character(),
                            step_size = FALSE, rank = NULL, deterministic = TRUE) {
  if (step_size) {
    params <- c(params, list(
      list(name = "step.schedule", kind = "string", choices = I(c("inverse-sqrt", "inverse", "constant")), default = "inverse-sqrt"),
      list(name = "step.c", kind = "float", min = 0)))
  }
  list(init = init, advance = advance, state = state, tasks = tasks,
       hello = list(protocol = 1L, name = name, version = version, tasks = I(tasks), serve = I(serve), counters = I(counters), rank = rank,
                    deterministic = deterministic, params = I(params)))
}

# Ends the run after iteration `at` with status "converged" or "diverged".
stochopt_end <- function(status, s, at = NULL, reason = "") structure(list(status = status, s = s, at = at, reason = reason), class = "stochopt_end")

# ---- JSON ----

# Encodes a value as JSON. Vectors of one element are scalars unless protected by I(). Named lists are
# objects. NULL elements are omitted.
.so_json <- function(x) {
  if (is.list(x) && (!is.null(names(x)) || (length(x) == 0 && !inherits(x, "AsIs")))) {
    x <- x[!vapply(x, is.null, TRUE)]
    if (length(x) == 0) return("{}")
    return(paste0("{", paste(.so_text(names(x)), vapply(x, .so_json, ""), sep = ":", collapse = ","), "}"))
  }
  parts <- if (is.list(x)) vapply(x, .so_json, "") else if (is.character(x)) .so_text(x) else if (is.logical(x)) c("false", "true")[x + 1L] else {
    if (!all(is.finite(x))) stop("a number is not finite")
    sprintf(ifelse(x == round(x) & abs(x) < 2^53, "%.0f", "%.17g"), x)
  }
  if (inherits(x, "AsIs") || is.list(x) || length(x) != 1) paste0("[", paste(parts, collapse = ","), "]") else parts
}

.so_text <- function(x) {
  if (length(x) == 0) return(character())
  x <- gsub('(["\\\\])', "\\\\\\1", enc2utf8(x))
  paste0('"', gsub("[[:cntrl:]]", " ", x), '"')
}

# Decodes JSON. Objects become named lists, arrays vectors or lists, null becomes NULL.
.so_read <- function(line) {
  token <- '"(?:[^"\\\\]|\\\\.)*"|[-+0-9.eE]+|true|false|null|[][{},:]'
  all <- regmatches(line, gregexpr(token, line, perl = TRUE))[[1]]
  at <- 0L
  take <- function() {
    at <<- at + 1L
    if (at > length(all)) stop("the message is truncated: ", substr(line, 1, 80))
    all[at]
  }
  value <- function(tok) {
    if (tok == "{") {
      out <- list()
      while ((tok <- take()) != "}") {
        if (tok == ",") next
        key <- unescape(tok)
        if (take() != ":") stop("the message is not JSON: ", substr(line, 1, 80))
        out[key] <- list(value(take()))
      }
      out
    } else if (tok == "[") {
      out <- list()
      while ((tok <- take()) != "]") if (tok != ",") out[length(out) + 1L] <- list(value(tok))
      if (length(out) > 0 && all(lengths(out) == 1L) && !is.list(out[[1]])) unlist(out) else out
    } else if (startsWith(tok, '"')) unescape(tok)
    else switch(tok, true = TRUE, false = FALSE, null = NULL, as.numeric(tok))
  }
  unescape <- function(tok) {
    s <- substr(tok, 2L, nchar(tok) - 1L)
    while ((hit <- regexpr("\\\\u[0-9a-fA-F]{4}", s)) > 0) {
      s <- paste0(substr(s, 1L, hit - 1L), intToUtf8(strtoi(substr(s, hit + 2L, hit + 5L), 16L)), substring(s, hit + 6L))
    }
    gsub("\\\\(.)", "\\1", s)
  }
  value(take())
}

# ---- The protocol ----

.so <- new.env()

# Reserves standard output for the protocol. Base R can redirect descriptor 1 only with a function of
# package parallel for forked processes. It closes the descriptor, and the next opened file, the log,
# gets it.
.so_claim <- function() {
  .so$out <- file("/dev/fd/1", "wb", raw = TRUE)
  .so$into <- file("stdin", "rb")
  free <- tryCatch(get("closeStdout", asNamespace("parallel")), error = function(e) NULL)
  if (!is.null(free)) {
    free()
    .so$log <- file("/dev/fd/2", "wb", raw = TRUE)
  }
  sink(stderr())
}
if (nzchar(Sys.getenv("STOCHOPT_PROTOCOL"))) .so_claim()

.so_send <- function(message) {
  writeLines(.so_json(message), .so$out, useBytes = TRUE)
  flush(.so$out)
}

.so_receive <- function() {
  line <- readLines(.so$into, 1L, warn = FALSE, encoding = "UTF-8")
  if (length(line) == 0) return(NULL)
  message <- .so_read(line)
  list(verb = names(message)[1], body = message[[1]])
}

# Reads an array written by the harness, a matrix or a vector.
.so_load <- function(a) {
  con <- file(a$file, "rb")
  on.exit(close(con))
  count <- prod(a$shape)
  x <- switch(a$dtype,
    "<f8" = readBin(con, "double", count, endian = "little"),
    "<f4" = readBin(con, "double", count, size = 4L, endian = "little"),
    "<i8" = { # base R has no 64-bit integers: combine two halves
      halves <- matrix(readBin(con, "integer", 2 * count, endian = "little"), 2)
      halves[1, ] + (halves[1, ] < 0) * 2^32 + halves[2, ] * 2^32
    },
    stop(a$file, " has type ", a$dtype))
  if (length(x) != count) stop(a$file, " is shorter than its declared shape")
  if (length(a$shape) == 2) matrix(x, a$shape[1], a$shape[2], byrow = TRUE) else x
}

.so_store <- function(name, x) {
  shape <- if (is.matrix(x)) dim(x) else length(x)
  writeBin(as.double(if (is.matrix(x)) t(x) else x), name, endian = "little")
  list(file = name, dtype = "<f8", shape = I(shape))
}

# Returns the inputs of a run: the fields of the message init, whose params include those of the problem;
# X, if data are served; the labels y of a classification; step(t); and rows(i), the kernel rows of
# training points i in 1..n. Each kernel row costs n kernel evaluations.
.so_run <- function(body) {
  run <- body
  if (!is.null(body$arrays)) run$X <- .so_load(body$arrays$X)
  if (!is.null(body$positive)) run$y <- rep(c(1, -1), c(body$positive, body$n - body$positive))
  schedule <- body$params[["step.schedule"]]
  run$step <- function(t) {
    body$params[["step.c"]] / t^c(constant = 0, inverse = 1, "inverse-sqrt" = 0.5)[[schedule]]
  }
  run$rows <- function(i) {
    .so_send(list(rows = I(i - 1)))
    reply <- .so_receive()
    if (is.null(reply)) quit("no", 0L)
    if (reply$verb != "rows") stop("expected message rows, received ", reply$verb)
    .so_load(reply$body)
  }
  set.seed(body$seed %% 2147483647)
  run
}

# Runs a method until the harness sends stop.
stochopt_main <- function(method) {
  if (is.null(.so$out)) {
    message("this program must be started by stochopt: try `stochopt external check Rscript FILE`")
    quit("no", 2L)
  }
  tryCatch(.so_serve(method), error = function(e) {
    message("Error: ", conditionMessage(e))
    .so_send(list(error = conditionMessage(e)))
    quit("no", 1L)
  })
  quit("no", 0L)
}

.so_serve <- function(method) {
  s <- run <- NULL
  t <- 0
  while (!is.null(m <- .so_receive())) {
    body <- m$body
    if (m$verb == "stop") return()
    if (m$verb %in% c("advance", "state") && is.null(run)) stop("unexpected message ", m$verb)
    switch(m$verb,
      hello = {
        if (body$protocol != 1) stop("this program supports protocol 1, not ", body$protocol)
        if (!body$task %in% method$tasks) stop("this method supports ", toString(method$tasks), ", not ", body$task)
        .so_send(list(hello = method$hello))
      },
      init = {
        run <- .so_run(body)
        s <- method$init(run)
        t <- 0
        .so_send(list(ready = list()))
      },
      advance = {
        block <- if (!is.null(body$samples)) .so_load(body$samples) else if (!is.null(body$order)) .so_load(body$order) + 1 else seq(t + 1, body$to)
        s <- method$advance(s, run, t, block)
        reply <- list(to = body$to)
        if (inherits(s, "stochopt_end")) {
          reply <- list(to = if (is.null(s$at)) body$to else s$at, status = s$status, reason = s$reason)
          s <- s$s
        }
        t <- reply$to
        .so_send(list(advanced = c(reply, if (!is.null(s$cost)) list(cost = as.list(s$cost)))))
      },
      state = {
        parts <- method$state(s, run)
        number <- names(parts) %in% c("bulk", "bias")
        arrays <- Map(.so_store, names(parts)[!number], parts[!number])
        .so_send(list(state = c(list(arrays = arrays), parts[number])))
      },
      stop("unexpected message ", m$verb))
  }
}
