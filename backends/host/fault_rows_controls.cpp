// SPDX-License-Identifier: Apache-2.0
// The rows of group N: legal behaviour, of which nothing may be reported.
#include "backends/host/fault_rows.hpp"

namespace halfmark::backends::host {
namespace {

constexpr FaultRow kRows[] = {
    control("N01", "gemm", "fp32 sums in another fixed order", "legal",
            {{{"order", 0, "0 descending, 1 pairwise, 2 strided, 3 blocked", 0, 3},
              {"size", 8, "of strides and blocks", 2, 64}}}),
    control("N02", "gemm", "products are rounded to fp32 before they are added", "legal"),
    control("N03", "gemm", "sums in fp64", "legal, and closer"),
    control("N04", "gemm", "NaN results have another sign and payload", "legal"),
    control("N05", "softmax", "exp, erf and tanh within 2 ulp, rsqrt within 1", "legal"),
    control("N06", "gemm", "k is cut in parts, whose fp32 sums are added in one order", "legal",
            {{{"parts", 4, "of k", 2, 32}}}),
    control("N07", "softmax", "division by a reciprocal within 1 ulp", "legal"),
    control("N09", "layernorm", "mean and variance by running updates (Welford)", "legal",
            {{{"lanes", 1, "partial ones, merged in waves of 32", 1, 1024},
              {"run", 1, "elements that a lane takes at a time", 1, 8}}}),
    control("N08", "gemm", "no fault: only the modelled clock that faults of time use", "legal"),
    control("N10", "gelu", "GELU and its gradients rounded once", "legal, and closer"),
    control("N11", "gelu_tanh", "x times the logistic function", "legal"),
    control("N12", "max", "of two zeros the first", "legal"),
    control("N13", "gemm", "exact sums, rounded once", "legal, and closer"),
    control("N14", "gemm", "sums in fp16 round each step to fp32 first", "legal"),
    control("N15", "gemm", "beta * C is rounded before it is added", "legal"),
    control("N16", "layernorm", "statistics and results rounded once", "legal, and closer"),
    control("N17", "layernorm", "fused squares and weights", "legal"),
    control("N18", "softmax", "softmax and its logarithm rounded once", "legal, and closer"),
    control("N19", "softmax", "exp by powers of two", "legal"),
    control("N20", "softmax", "exp by an argument reduction in two parts", "legal"),
    control("N21", "softmax", "the sum follows a running maximum", "legal"),
    control("N22", "log_softmax", "x - (maximum + log sum)", "legal"),
    control("N23", "log_softmax", "log1p of the sum without the maximum", "legal, and closer"),
    control("N24", "sum", "pairwise sums", "legal"),
    control("N25", "sum", "sums and means in fp64", "legal, and closer"),
    control("N26", "sum", "sums from the end", "legal"),
    control("N27", "sum", "sums that keep what each addition loses", "legal, and closer"),
    control("N28", "mse", "the mean rounded once", "legal, and closer"),
    control("N29", "cross_entropy", "losses rounded once", "legal, and closer"),
    control("N30", "convert", "NaN results have another sign and payload", "legal"),
    control("N31", "amp_check", "x - x is looked at instead of the exponent of x", "legal"),
    control("N32", "unscale", "the reciprocal of the scale in fp64, rounded once", "legal"),
    control("N33", "amp_check", "a strip is checked from its end", "legal"),
    control("N34", "adam", "division and square root in integers", "legal"),
    control("N35", "cast_cache", "every pass casts the weights anew", "legal"),
    control("N36", "clip", "the factor is compared the other way round", "legal"),
    control("N37", "gemm", "ReLU of a negative number is -0, as 0 * x is", "legal"),
    control("N38", "softmax", "rows with a great maximum take exp by exp2", "legal"),
};

}  // namespace

std::span<const FaultRow> controls() { return kRows; }

}  // namespace halfmark::backends::host
