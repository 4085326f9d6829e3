# The RSE of run-times over repetitions (Figure 1 of the PGMPI paper): Rscript nrep.R samples.csv rse.pdf
args <- commandArgs(trailingOnly = TRUE)
threshold <- 0.025 # nrep.rse of gl.toml
x <- read.csv(args[1], check.names = FALSE)
x <- x[x$flags == 0 & !x$outlier & x$mode == "run", ]
x$call <- paste(x$folder, x$shape, x$`function`, x$msize)

# Draw the calls whose run medians differ least and most, one mpirun of each.
medians <- aggregate(ns ~ call + mpirun, x, median)
spread <- sort(tapply(medians$ns, medians$call, function(ns) max(ns) / min(ns)))
rse <- lapply(names(spread)[c(1, length(spread))], function(name) {
  of <- x[x$call == name & x$mpirun == min(x$mpirun[x$call == name]), ]
  ns <- of$ns[order(of$rep)]
  sapply(5:length(ns), function(n) sd(ns[1:n]) / sqrt(n) / mean(ns[1:n]))
})

pdf(args[2], width = 7, height = 5)
plot(NULL, xlim = c(5, 4 + max(lengths(rse))), ylim = range(unlist(rse)[unlist(rse) > 0], threshold), log = "y",
  xlab = "repetitions", ylab = "RSE")
for (i in seq_along(rse)) points(4 + seq_along(rse[[i]]), rse[[i]], type = "b", pch = 20, col = i)
abline(h = threshold, lty = 2, col = "grey")
legend("topright", names(spread)[c(1, length(spread))], pch = 20, col = seq_along(rse), cex = 0.7)
invisible(dev.off())
cat("wrote", args[2], "\n")
