// SPDX-License-Identifier: Apache-2.0
//
// Moore Threads' published rates, as the press quotes its announcements. No source states how many
// units the driver counts.
#pragma once

#include "backends/data_sheet.hpp"

namespace halfmark::backends::musa {

inline constexpr DataSheet kDataSheets[] = {
    {.name = "S4000",
     .compute_units = 0,
     .gbytes_per_s = 768,
     .rates = {{{"fp32", 25'000},
                {"tf32", 50'000},
                {"fp16.acc-fp32", 100'000},
                {"bf16.acc-fp32", 100'000}}},
     .source = "Moore Threads, announcement of the MTT S4000, as quoted by io-tech.fi, December "
               "2023"},
    {.name = "S3000",
     .compute_units = 0,
     .gbytes_per_s = 0,
     .rates = {{{"fp32", 15'200}}},
     .source = "Moore Threads, announcement of the MTT S3000, as quoted by tweakpc.de, December "
               "2023"},
};
static_assert(is_sound(kDataSheets));

}  // namespace halfmark::backends::musa
