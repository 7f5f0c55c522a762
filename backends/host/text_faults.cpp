// SPDX-License-Identifier: Apache-2.0
#include "backends/host/text_faults.hpp"

namespace halfmark::backends::host {
namespace {

constexpr std::string_view kCheck = "if (!scaling_is_finite(seen)) found = 1.0f;";
constexpr std::string_view kReciprocal = "HM_DIV(1.0f, scale[0])";
constexpr std::string_view kUnscaled = "rule == SCALING_DIVISION ? HM_DIV(g, factor) : g * factor";
constexpr std::string_view kSkips = "i < count && found[step] == 0.0f";

constexpr TextFault kRows[] = {
    {"X01", "loss_scaling", kCheck,
     "if (!scaling_is_finite(seen) && i < count / 8 * 8) found = 1.0f;"},
    {"X02", "loss_scaling", kCheck,
     "if ((HM_F2U(seen) & 0x7fffffffu) == 0x7f800000u) found = 1.0f;"},
    {"X03", "loss_scaling", kCheck,
     "if (HM_U2F(HM_F2U(seen) & 0x7fffffffu) > 3.4028235e38f) found = 1.0f;"},
    {"X04", "loss_scaling", kCheck, "(void)seen;"},
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

    {"N31", "loss_scaling", kCheck, "if (seen - seen != 0.0f) found = 1.0f;"},
    {"N32", "loss_scaling", kReciprocal, "static_cast<float>(1.0 / static_cast<double>(scale[0]))"},
    {"N33", "loss_scaling", "for (int i = begin + lane; i < end; i += HM_LANES) {",
     "for (int i = end - 1 - lane; i >= begin; i -= HM_LANES) {"},
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
