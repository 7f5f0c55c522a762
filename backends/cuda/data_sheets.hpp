// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's published dense rates; where a document states them with sparsity, half of the stated
// rate. Each source names the document; "as quoted by" says where its figures were read. Matrix
// units have rates of their own, whose keys name an accumulator: "fp16" is that of plain
// instructions, and is absent where no quotation has it.
#pragma once

#include "backends/data_sheet.hpp"

namespace halfmark::backends::cuda {

inline constexpr std::string_view kAmpereSource =
    "NVIDIA A100 Tensor Core GPU datasheet, 2188504, May 2022, as quoted by other tables; plain "
    "fp16 and bf16 as forums.developer.nvidia.com/t/218102 quotes NVIDIA Hopper Architecture "
    "In-Depth";
inline constexpr std::string_view kFirstAmpereSource =
    "NVIDIA A100 Tensor Core GPU datasheet, 1758950-r4, as quoted by github.com/astroC86/"
    "gpu-datasheet";
inline constexpr std::string_view kVoltaSource =
    "NVIDIA Tesla V100, as quoted by io-tech.fi, June 2017 (PCIe), and other tables (SXM2)";

// clang-format off: one format a line
inline constexpr DeclaredRates kHopperRates = {{
    {"fp32", 66'900},
    {"tf32", 494'700},
    {"fp16", 133'800}, {"fp16.acc-fp16", 989'400}, {"fp16.acc-fp32", 989'400},
    {"bf16", 133'800}, {"bf16.acc-fp32", 989'400},
    {"e4m3fn", 1'978'900},
    {"e5m2", 1'978'900}}};
inline constexpr DeclaredRates kAmpereRates = {{
    {"fp32", 19'500},
    {"tf32", 156'000},
    {"fp16", 78'000}, {"fp16.acc-fp16", 312'000}, {"fp16.acc-fp32", 312'000},
    {"bf16", 39'000}, {"bf16.acc-fp32", 312'000}}};
// clang-format on

inline constexpr DataSheet kDataSheets[] = {
    {.name = "H200",
     .compute_units = 132,
     .gbytes_per_s = 4800,
     .rates = kHopperRates,
     .source =
         "NVIDIA H200 Tensor Core GPU datasheet, 3367400, July 2024, as quoted by other "
         "tables: the rates of the H100 SXM5, which glennklockwood.com/garden/processors/h100 "
         "quotes from NVIDIA's white paper"},
    {.name = "H100 80GB HBM3",
     .compute_units = 132,
     .gbytes_per_s = 3350,
     .rates = kHopperRates,
     .source = "NVIDIA H100 Tensor Core GPU Architecture, as quoted by "
               "glennklockwood.com/garden/processors/h100"},
    {.name = "H100 PCIe",
     .compute_units = 114,
     .gbytes_per_s = 2000,
     .rates = {{{"fp32", 51'000},
                {"tf32", 378'000},
                {"fp16.acc-fp32", 756'500},
                {"bf16.acc-fp32", 756'500},
                {"e4m3fn", 1'513'000},
                {"e5m2", 1'513'000}}},
     .source = "NVIDIA H100 PCIe, as quoted by archive-lib.hpctech.co.jp/gpuproduct/nvidia-h100"},
    {.name = "A100-SXM4-80GB",
     .compute_units = 108,
     .gbytes_per_s = 2039,
     .rates = kAmpereRates,
     .source = kAmpereSource},
    {.name = "A100 80GB PCIe",
     .compute_units = 108,
     .gbytes_per_s = 1935,
     .rates = kAmpereRates,
     .source = kAmpereSource},
    {.name = "A100-SXM4-40GB",
     .compute_units = 108,
     .gbytes_per_s = 1555,
     .rates = kAmpereRates,
     .source = kFirstAmpereSource},
    {.name = "A100-PCIE-40GB",
     .compute_units = 108,
     .gbytes_per_s = 1555,
     .rates = kAmpereRates,
     .source = kFirstAmpereSource},
    {.name = "V100-SXM2-16GB",
     .compute_units = 80,
     .gbytes_per_s = 900,
     .rates = {{{"fp32", 15'700}, {"fp16.acc-fp32", 125'000}}},
     .source = kVoltaSource},
    {.name = "V100-SXM2-32GB",
     .compute_units = 80,
     .gbytes_per_s = 900,
     .rates = {{{"fp32", 15'700}, {"fp16.acc-fp32", 125'000}}},
     .source = kVoltaSource},
    {.name = "V100-PCIE-16GB",
     .compute_units = 80,
     .gbytes_per_s = 900,
     .rates = {{{"fp32", 14'000}, {"fp16.acc-fp32", 112'000}}},
     .source = kVoltaSource},
    {.name = "L40S",
     .compute_units = 142,
     .gbytes_per_s = 864,
     .rates = {{{"fp32", 91'600},
                {"tf32", 183'000},
                {"fp16.acc-fp32", 362'050},
                {"bf16.acc-fp32", 362'050},
                {"e4m3fn", 733'000},
                {"e5m2", 733'000}}},
     .source = "NVIDIA L40S datasheet, 2841316, August 2023, as quoted by other tables"},
    // The published 8-bit rate depends on the accumulator and quotations disagree, so it
    // is omitted.
    {.name = "RTX 4090",
     .compute_units = 128,
     .gbytes_per_s = 1008,
     .rates = {{{"fp32", 82'600},
                {"tf32", 82'600},
                {"fp16.acc-fp32", 165'200},
                {"fp16.acc-fp16", 330'300},
                {"bf16.acc-fp32", 165'200}}},
     .source = "NVIDIA GeForce RTX 4090, as quoted by waredb.com and gigagpu.com"},
};
static_assert(is_sound(kDataSheets));

}  // namespace halfmark::backends::cuda
