// SPDX-License-Identifier: Apache-2.0
#include "backends/host/text_faults.hpp"

namespace halfmark::backends::host {
namespace {

constexpr std::string_view kCheck = "if (!scaling_is_finite(seen)) found = 1.0f;";
constexpr std::string_view kReciprocal = "HM_DIV(1.0f, scale[0])";
constexpr std::string_view kUnscaled = "rule == SCALING_DIVISION ? HM_DIV(g, factor) : g * factor";
constexpr std::string_view kSkips = "i < count && found[step] == 0.0f";

// hm_lanes_sum with each sum rounded to fp16, and the root, too.
constexpr std::string_view kHalfRoot =
    "HM_BARRIER();\n"
    "  lanes[lane] = sum;\n"
    "  for (int stride = HM_LANES / 2; stride > 0; stride /= 2) {\n"
    "    HM_BARRIER();\n"
    "    if (lane < stride)\n"
    "      lanes[lane] = hm_host_from_half(hm_host_to_half(lanes[lane] + lanes[lane + stride]));\n"
    "  }\n"
    "  HM_BARRIER();\n"
    "  return hm_host_from_half(hm_host_to_half(HM_SQRT(lanes[0])));";

constexpr TextFault kRows[] = {
    {"X01", "loss_scaling", kCheck,
     "if (!scaling_is_finite(seen) && i < count / 8 * 8) found = 1.0f;"},
    {"X02", "loss_scaling", kCheck,
     "if ((HM_F2U(seen) & 0x7fffffffu) == 0x7f800000u) found = 1.0f;"},
    {"X03", "loss_scaling", kCheck,
     "if (HM_U2F(HM_F2U(seen) & 0x7fffffffu) > 3.4028235e38f) found = 1.0f;"},
    {"X04", "loss_scaling", kCheck, "(void)seen;"},
    {"X05", "loss_scaling", "float found = 0.0f;", "float found = 0.0f;\n  float total = 0.0f;"},
    {"X05", "loss_scaling", kCheck,
     "total = hm_host_from_half(hm_host_to_half(total + seen));\n"
     "    if (!scaling_is_finite(total)) found = 1.0f;"},
    {"X06", "loss_scaling", kReciprocal, "HM_U2F(HM_F2U(HM_DIV(1.0f, scale[0])) + 1u)"},
    {"X07", "loss_scaling", kUnscaled,
     "hm_host_from_half(hm_host_to_half(rule == SCALING_DIVISION ? HM_DIV(g, factor) : g * "
     "factor))"},
    {"X08", "loss_scaling", kUnscaled,
     "rule == SCALING_DIVISION ? HM_DIV(HM_DIV(g, factor), factor) : g * factor * factor"},
    {"X09", "loss_scaling", "float flag = 0.0f;",
     "float flag = step + device > 0 ? flags[step * devices + device - 1] : 0.0f;"},
    {"X10", "loss_scaling",
     "if (only_if_finite != 0 && !scaling_is_finite(next)) return scale;\n"
     "  return ceiling > 0.0f && ceiling < next ? ceiling : next;",
     "return next;"},
    {"X11", "loss_scaling", "return next < floor ? floor : next;", "return next;"},
    {"X12", "loss_scaling", "        counts[0] = 0;\n", ""},
    {"X13", "loss_scaling", "int ends = growth_rule",
     "interval += 1;\n      int ends = growth_rule"},
    {"X14", "loss_scaling", kSkips, "i < count"},
    {"X15", "loss_scaling", "if (after <= 0) scale[0] =", "if (after < -99) scale[0] ="},
    {"X16", "loss_scaling", kSkips, "i < count && found[step] != 1.0f"},
    {"X17", "loss_scaling", "counts[0] = from_counts[0];", "counts[0] = 0;"},
    {"X18", "clipping", "float x = of_scaled != 0 ? hm_load(HM_X_FORMAT)(gradients, base + i)",
     "float x = of_scaled != 2 ? hm_load(HM_X_FORMAT)(gradients, base + i)"},
    {"X19", "clipping", "return HM_FMA(x, x, sum);",
     "return hm_host_from_half(hm_host_to_half(sum + hm_host_from_half(hm_host_to_half(x * x))));"},
    {"X19", "clipping", "return HM_SQRT(hm_lanes_sum(lanes, lane, sum));", kHalfRoot},

    {"O01", "optimizer", "settings[OPTIMIZER_EPSILON]",
     "hm_host_from_half(hm_host_to_half(settings[OPTIMIZER_EPSILON]))"},
    {"O02", "optimizer", "        first[i] = m;\n",
     "        first[i] = m;\n        v = hm_host_from_half(hm_host_to_half(v));\n"},
    {"O03", "optimizer", "      if (gradient != 0.0f &&",
     "      w = hm_host_from_half(hm_host_to_half(w));\n      if (gradient != 0.0f &&"},
    {"O04", "optimizer", "counts[step] = before + is_made;", "counts[step] = before + 1;"},
    {"O05", "optimizer", "return kept < wanted;", "return kept == OPTIMIZER_NO_CAST;"},

    {"N31", "loss_scaling", kCheck, "if (seen - seen != 0.0f) found = 1.0f;"},
    {"N32", "loss_scaling", kReciprocal, "static_cast<float>(1.0 / static_cast<double>(scale[0]))"},
    {"N33", "loss_scaling", "for (int i = begin + lane; i < end; i += HM_LANES) {",
     "for (int i = end - 1 - lane; i >= begin; i -= HM_LANES) {"},
    {"N36", "clipping", "return factor > 1.0f ? 1.0f : factor;",
     "return 1.0f < factor ? 1.0f : factor;"},
    {"N34", "optimizer", "HM_DIV(HM_SQRT(v), corrections[counts[step] - 1])",
     "hm_soft_div(hm_soft_sqrt(v), corrections[counts[step] - 1])"},
    {"N35", "optimizer", "return kept < wanted;", "return kept <= wanted;"},
};

}  // namespace

std::span<const TextFault> text_faults() { return kRows; }

std::string with_fault(std::string source, const Fault& fault) {
  for (const TextFault& row : kRows) {
    if (!fault.is(row.id)) continue;
    const std::size_t at = source.find(row.words);
    if (at != std::string::npos) source.replace(at, row.words.size(), row.replacement);
  }
  return source;
}

}  // namespace halfmark::backends::host
