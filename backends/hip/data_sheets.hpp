// SPDX-License-Identifier: Apache-2.0
//
// AMD's published dense rates, by the faster of vector units and matrix cores: the tables of peak
// performance of the ROCm documentation. A module of two dies is two devices, each with half of
// the rate.
#pragma once

#include "backends/data_sheet.hpp"

namespace halfmark::backends::hip {

inline constexpr DataSheet kDataSheets[] = {
    {.name = "MI300X",
     .compute_units = 304,
     .gbytes_per_s = 5300,
     .rates = {{{"fp32", 163'400},
                {"tf32", 653'700},
                {"fp16.acc-fp32", 1'307'400},
                {"bf16.acc-fp32", 1'307'400},
                {"e4m3fnuz", 2'614'900},
                {"e5m2fnuz", 2'614'900}}},
     .source = "ROCm documentation, AMD Instinct MI300 series microarchitecture"},
    {.name = "MI250",
     .compute_units = 104,
     .gbytes_per_s = 1600,
     .rates = {{{"fp32", 45'250}, {"fp16.acc-fp32", 181'050}, {"bf16.acc-fp32", 181'050}}},
     .source = "ROCm documentation, AMD Instinct MI250 microarchitecture; one of two dies"},
    {.name = "MI210",
     .compute_units = 104,
     .gbytes_per_s = 1600,
     .rates = {{{"fp32", 45'300}, {"fp16.acc-fp32", 181'000}, {"bf16.acc-fp32", 181'000}}},
     .source = "AMD Instinct MI210 brochure, as quoted by PyTorch, "
               "torch/_inductor/analysis/device_info.py"},
    {.name = "MI100",
     .compute_units = 120,
     .gbytes_per_s = 1228,
     .rates = {{{"fp32", 46'100}, {"fp16.acc-fp32", 184'600}, {"bf16.acc-fp32", 92'300}}},
     .source = "ROCm documentation, AMD Instinct MI100 microarchitecture"},
};
static_assert(is_sound(kDataSheets));

}  // namespace halfmark::backends::hip
