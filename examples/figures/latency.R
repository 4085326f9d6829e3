# Run-times of every collective over message sizes: Rscript latency.R samples.csv latency.pdf
args <- commandArgs(trailingOnly = TRUE)
x <- read.csv(args[1], check.names = FALSE)
x <- x[x$flags == 0 & !x$outlier & x$mode == "run" & (is.na(x$mockup_of) | x$mockup_of == ""), ]

# Compare run medians, one for each mpirun: samples of one mpirun resemble each other.
medians <- aggregate(ns ~ folder + shape + `function` + msize + mpirun, x, median)
each <- aggregate(ns ~ folder + shape + `function` + msize, medians, median)

pdf(args[2], width = 7, height = 5)
plot(pmax(each$msize, 1), each$ns / 1000, type = "n", log = "xy", xlab = "message size [B]", ylab = "run-time [us]")
points(pmax(medians$msize, 1), medians$ns / 1000, pch = ".", col = "grey60")
each$name <- paste(each$`function`, each$shape, each$folder)
names <- unique(each$name)
for (i in seq_along(names)) {
  line <- each[each$name == names[i], ]
  line <- line[order(line$msize), ]
  points(pmax(line$msize, 1), line$ns / 1000, type = "b", pch = i, col = i)
}
legend("topleft", names, pch = seq_along(names), col = seq_along(names), cex = 0.7)
invisible(dev.off())
cat("wrote", args[2], "with", nrow(medians), "run medians\n")
