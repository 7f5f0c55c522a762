// SPDX-License-Identifier: Apache-2.0
//
// One vendor as a table: library names, symbols, numbers, spellings. Everything that differs
// between the vendors of this interface family is a field here, and nothing else may differ.
//
// A vendor's names.hpp (the macros HM_NAMES_...) lists its symbols as rows X(role, symbol) and its
// numbers as rows X(role, enumerator, value). The same rows make the tables below, the exports of
// the stand-in driver (standin/), and the comparison with the vendor's own headers
// (header_check.hpp).
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

// One symbol and the place of its role in DriverCalls or CompilerCalls. Rows of one role are
// alternatives, best first.
struct Symbol {
  const char* name;
  std::size_t slot;
  bool required;
};

// Where a library is looked for: the variable (a file, or a folder of such files) alone when it is
// set; else the names as the loader finds them, then the names in the folders. A folder may begin
// with $VARIABLE and hold wildcards.
struct Library {
  const char* variable;
  std::span<const char* const> names;  // newest first
  std::span<const char* const> folders;
  std::span<const Symbol> symbols;
  const char* remedy;  // ends the sentence "no X found; ..."
};

// Numbers of the device attributes.
struct Attributes {
  int max_group_items, local_memory_bytes, warp_items, compute_units, clock_khz, memory_clock_khz,
      memory_bus_bits, cache_bytes, ecc, integrated, capability_major, capability_minor;
};

// Numbers of the errors that the shim or the stand-in must know by meaning.
struct Codes {
  Status invalid_value, out_of_memory, not_initialised, no_device, invalid_device, invalid_image,
      wrong_architecture, no_context, invalid_handle, not_found, bad_launch_shape, launch_failed;
};

// How the name of an architecture comes about, and how the compiler is told.
struct Architectures {
  enum class From {
    kCapability,  // prefix and digits of the compute capability
    kProperties,  // the prefix is searched for in the structure of device_properties
  };
  From from;
  const char* prefix;  // "sm_"
  const char* option;  // "--gpu-architecture="
};

struct OfflineCompiler {
  const char* command = nullptr;  // null: there is none
  std::span<const char* const> folders;
  std::span<const char* const> options;  // before -o TARGET SOURCE
};

// What a promise may depend on.
struct DeviceFacts {
  int capability = 0;  // 10 * major + minor
  std::string architecture;
  int runtime_version = 0;
};

// What the stand-in of this vendor says it is.
struct StandInFacts {
  int capability;
  const char* architecture;
  int warp_items;
  std::span<const int> compiler_architectures;  // for architecture_count; may be empty
  // Of a forwarding stand-in (standin/forward.hpp): what the dialect's text needs from a compiler
  // of another vendor; the header that it is, null: it stands before the text.
  const std::string_view* forwarded;
  const char* forwarded_header;
};

struct BlasVendor;  // blas_vendor.hpp
struct LtVendor;    // blas_lt_vendor.hpp
struct DnnVendor;   // dnn_vendor.hpp

struct Vendor {
  const char* backend;   // the selector before the colon
  const char* platform;  // the interface, as people write it
  const char* maker;     // of the devices
  const char* kernel_suffix;
  Library driver;
  Library compiler;
  bool compiler_may_be_in_driver;    // old releases keep it there
  bool compiler_follows_driver;      // a compiler of a newer major version makes images that an
                                     // older driver refuses
  OfflineCompiler offline_compiler;  // where the library is missing
  Attributes attributes;
  Codes codes;
  std::span<const Status> lost_codes;  // after these no call of the process succeeds
  Status stub_code;                    // of a library made only for linking; 0: no such thing
  Architectures architectures;
  const char* no_contraction;                   // the option; also in strict_options
  std::span<const char* const> strict_options;  // beside the architecture
  bool takes_family_words;                      // family.h stands before the dialect
  const std::string_view* dialect;
  std::vector<Promise> (*promises)(const DeviceFacts& facts);
  std::vector<Packs> (*packs)(const DeviceFacts& facts);  // that the dialect has on such a device
  StandInFacts stand_in;
  Units units;
  // Beginnings of the names of the environment variables that change what its libraries do.
  std::span<const char* const> variables;
  const BlasVendor* blas = nullptr;  // null: there is none
  const LtVendor* blas_lt = nullptr;
  const DnnVendor* dnn = nullptr;  // the same
  std::span<const DataSheet> data_sheets = {};
};

}  // namespace halfmark::backends::shim
