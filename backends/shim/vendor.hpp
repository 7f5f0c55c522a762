// SPDX-License-Identifier: Apache-2.0
//
// One vendor as a table: library names, symbols, numbers, spellings. Every difference between the
// vendors of this interface family must be a field here.
//
// A vendor's names.hpp (the macros HM_NAMES_...) lists its symbols as rows X(role, symbol)
// and its numbers as rows X(role, enumerator, value). The same rows make the tables below,
// the exports of the stand-in driver (standin/), and the comparison with the vendor's own
// headers (header_check.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/data_sheet.hpp"
#include "backends/device_info.hpp"
#include "backends/shim/calls.hpp"
#include "backends/shim/unit.hpp"

namespace halfmark::backends::shim {

// One symbol and the offset of its role in DriverCalls or CompilerCalls. Rows with the same role
// are alternatives, best first.
struct Symbol {
  const char* name;
  std::size_t slot;
  bool required;
};

// Where to look for a library: only in the place that the variable names (a file, or a folder of
// such files) when it is set; else by the names through the loader, then by the names in the
// folders. A folder may begin with $VARIABLE and contain wildcards; $PYTHON3 is the prefix of every
// python3 on PATH.
struct Library {
  const char* variable;
  std::span<const char* const> names;  // newest first
  std::span<const char* const> folders;
  std::span<const Symbol> symbols;
  const char* remedy;  // ends the sentence "no X found; ..."
  // What the library opens by a bare name when it works. Beside a library that the loader does not
  // search for, it is opened first.
  std::span<const char* const> companions = {};
  // Other files beside it that decide what it does; it opens them itself.
  std::span<const char* const> parts = {};
};

// Numbers of the device attributes.
struct Attributes {
  int max_group_items, local_memory_bytes, warp_items, compute_units, clock_khz, memory_clock_khz,
      memory_bus_bits, cache_bytes, ecc, integrated, capability_major, capability_minor;
};

// Numbers of the errors whose meaning the shim or the stand-in must know.
struct Codes {
  Status invalid_value, out_of_memory, not_initialised, no_device, invalid_device, invalid_image,
      wrong_architecture, no_context, invalid_handle, not_found, bad_launch_shape, launch_failed;
};

// How to form the name of an architecture, and how to pass it to the compiler.
struct Architectures {
  enum class From {
    kCapability,  // prefix and digits of the compute capability
    kProperties,  // found by its prefix in the structure of device_properties
  };
  From from;
  const char* prefix;  // "sm_"
  const char* option;  // "--gpu-architecture="
};

struct OfflineCompiler {
  const char* command = nullptr;  // null: there is none
  std::span<const char* const> folders;
  std::span<const char* const> options;  // precede -o TARGET SOURCE
};

// The facts that a promise may depend on.
struct DeviceFacts {
  int capability = 0;  // 10 * major + minor
  std::string architecture;
  int runtime_version = 0;
};

// What this vendor's stand-in reports.
struct StandInFacts {
  int capability;
  const char* architecture;
  int warp_items;
  std::span<const int> compiler_architectures;  // for architecture_count; may be empty
  // For a forwarding stand-in (standin/forward.hpp): the text that the dialect needs when another
  // vendor compiles it, and the header name under which the dialect includes it; null: it precedes
  // the text.
  const std::string_view* forwarded;
  const char* forwarded_header;
};

struct BlasVendor;  // blas_vendor.hpp
struct LtVendor;    // blas_lt_vendor.hpp
struct DnnVendor;   // dnn_vendor.hpp

struct Vendor {
  const char* backend;   // the selector before the colon
  const char* platform;  // the interface's usual spelling
  const char* maker;     // of the devices
  const char* kernel_suffix;
  Library driver;
  Library compiler;
  bool compiler_may_be_in_driver;  // in old releases
  bool compiler_follows_driver;    // an older driver refuses the images of a compiler with a newer
                                   // major version
  OfflineCompiler offline_compiler;  // used when the library is missing
  Attributes attributes;
  Codes codes;
  std::span<const Status> lost_codes;  // after these no call of the process succeeds
  Status stub_code;                    // of a library made only for linking; 0: there is none
  Architectures architectures;
  const char* no_contraction;  // the option that forbids it; also in strict_options
  std::span<const char* const> strict_options;  // in addition to the architecture
  bool takes_family_words;                      // family.h precedes the dialect
  bool functions_contract = false;              // the vendor's table of errors assumes contraction
  const std::string_view* dialect;
  std::vector<Promise> (*promises)(const DeviceFacts& facts);
  std::vector<Packs> (*packs)(const DeviceFacts& facts);  // that the dialect offers there
  StandInFacts stand_in;
  Units units;
  // Prefixes of the environment variables that affect its libraries.
  std::span<const char* const> variables;
  std::span<const char* const> compiler_variables = {};  // of these: those that change its code
  const BlasVendor* blas = nullptr;                      // null: there is none
  const LtVendor* blas_lt = nullptr;
  const DnnVendor* dnn = nullptr;  // the same
  std::span<const DataSheet> data_sheets = {};
};

}  // namespace halfmark::backends::shim
