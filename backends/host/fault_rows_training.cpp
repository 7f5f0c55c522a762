// SPDX-License-Identifier: Apache-2.0
// The rows of groups X and O: faults of loss scaling and of optimizers, planted in the text of
// kernels (text_faults.hpp).
#include "backends/host/fault_rows.hpp"

namespace halfmark::backends::host {
namespace {

constexpr FaultRow kRows[] = {
    fault("X01", "amp_check", "the last n mod 8 elements are not checked", "vector tails",
          "amp_state", 1),
    fault("X02", "amp_check", "only infinities are looked for", "x == inf", "nan_dropped", 1),
    fault("X03", "amp_check", "the largest magnitude is looked at, by a maximum that drops NaN",
          "relu and its family", "nan_dropped", 1),
    fault("X04", "amp_check", "isfinite is folded to true",
          "AMReX-Codes/amrex#5667, opencv/opencv#23881", "amp_state", 1),
    fault("X05", "amp_check", "the fp16 sum is looked at", "checks by sums", "overflow", 2),
    fault("X06", "unscale", "the reciprocal of the scale is a fast division", "fast division",
          "low_precision", 3),
    fault("X07", "unscale", "gradients are unscaled in fp16", "unscale before cast", "underflow",
          1),
    fault("X08", "unscale", "gradients are unscaled twice", "Lightning-AI/pytorch-lightning#15501",
          "amp_state", 1),
    fault("X09", "scaler", "the flag is never cleared", "sticky flags", "amp_state", 1),
    fault("X10", "scaler", "the scale grows to infinity", "pytorch/pytorch#98828", "overflow", 2),
    fault("X11", "scaler", "the scale falls without a floor", "NVIDIA/DeepLearningExamples#146",
          "underflow", 2),
    fault("X12", "scaler", "the counter is not reset on overflow", "a slip of the counter",
          "amp_state", 3),
    fault("X13", "scaler", "the scale grows one step late", "a difference between frameworks",
          "amp_state", 3),
    fault("X14", "scaler", "the scale is halved and the step made", "pytorch/pytorch#95847",
          "amp_state", 1),
    fault("X15", "scaler", "the step is skipped and the scale kept", "a slip of the state",
          "amp_state", 2),
    fault("X16", "scaler", "the flag is compared with one after two were summed",
          "fused optimizers", "amp_state", 1),
    fault("X17", "scaler", "restoring drops the counter", "checkpoints", "amp_state", 3),
    fault("X18", "clip",
          "the limit is compared with the norm of gradients that still have the scale",
          "waifu-diffusion#64", "order", 1),
    fault("X19", "clip", "the norm is kept in fp16",
          "facebookresearch/fairscale#263, tracel-ai/burn#5699", "overflow", 1),
    fault("O01", "adam", "eps is rounded to fp16", "google-deepmind/optax#1754", "eps_lost", 1),
    fault("O02", "adam", "the second moment is kept in fp16", "FluxML/Optimisers.jl#167",
          "underflow", 1),
    fault("O03", "optimizer", "weights are updated in fp16, without a master copy",
          "training without master weights", "acc_narrow", 1),
    fault("O04", "adam", "skipped steps are counted", "huggingface/accelerate#4242", "amp_state",
          2),
    fault("O05", "cast_cache", "a cast made without a tape is used again", "pytorch/pytorch#105211",
          "amp_state", 1),
};

}  // namespace

std::span<const FaultRow> training_faults() { return kRows; }

}  // namespace halfmark::backends::host
