// SPDX-License-Identifier: Apache-2.0
//
// The calls of a driver interface and of its run-time compiler that Halfmark needs, named by role.
// A vendor's table maps symbols to roles (vendor.hpp). Decides signatures; opens nothing.
//
// Assumptions:
//  1. The platform has 64 bits; enumerations of the interface are passed as int, opaque handles
//  as pointers.
//  2. A role that a vendor's table does not name stays null; `vendor.hpp` says which may be absent.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfmark::backends::shim {

using Status = int;   // 0 is success everywhere
using Ordinal = int;  // a device's number, and the driver's handle for it

// A device address: an integer in some headers, a pointer in others; all pass it in one register.
enum class Address : std::uint64_t {};

// The flag of all these interfaces for a stream that runs beside the default one.
inline constexpr unsigned kIndependentStream = 1;

struct DriverCalls {
  Status (*initialise)(unsigned flags);
  Status (*driver_version)(int* version);
  Status (*runtime_version)(int* version);
  Status (*device_count)(int* count);
  Status (*device_of)(Ordinal* device, int index);
  Status (*device_name)(char* name, int bytes, Ordinal device);
  Status (*device_memory)(std::size_t* bytes, Ordinal device);
  Status (*device_attribute)(int* value, int attribute, Ordinal device);
  Status (*device_bus_id)(char* text, int bytes, Ordinal device);
  Status (*device_properties)(void* structure, Ordinal device);

  // Either the primary context, or a selected device that implies one.
  Status (*context_retain)(void** context, Ordinal device);
  Status (*context_release)(Ordinal device);
  Status (*context_current)(void* context);
  Status (*select_device)(Ordinal device);
  Status (*synchronise)();

  // A queue of its own, which does not wait for the default one (kIndependentStream).
  Status (*stream_create)(void** stream, unsigned flags);
  Status (*stream_destroy)(void* stream);
  Status (*stream_synchronise)(void* stream);

  Status (*allocate)(Address* address, std::size_t bytes);
  Status (*release)(Address address);
  Status (*copy_in)(Address target, const void* source, std::size_t bytes);
  Status (*copy_out)(void* target, Address source, std::size_t bytes);
  // Of the current context's device, everybody's use included.
  Status (*memory_info)(std::size_t* free_bytes, std::size_t* total_bytes);

  Status (*module_load)(void** module, const void* image);
  Status (*module_unload)(void* module);
  Status (*module_function)(void** function, void* module, const char* name);
  Status (*launch)(void* function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
                   unsigned items_x, unsigned items_y, unsigned items_z, unsigned local_bytes,
                   void* stream, void** arguments, void** extra);

  Status (*event_create)(void** event, unsigned flags);
  Status (*event_destroy)(void* event);
  Status (*event_record)(void* event, void* stream);
  Status (*event_wait)(void* event);
  Status (*event_elapsed)(float* milliseconds, void* begin, void* end);

  // One of these two forms.
  Status (*error_name)(Status status, const char** name);
  const char* (*error_name_of)(Status status);
};

struct CompilerCalls {
  Status (*version)(int* major, int* minor);
  const char* (*error_name_of)(Status status);
  Status (*architecture_count)(int* count);
  Status (*architectures)(int* list);
  Status (*create)(void** program, const char* source, const char* name, int header_count,
                   const char* const* headers, const char* const* header_names);
  Status (*destroy)(void** program);
  Status (*compile)(void* program, int option_count, const char* const* options);
  Status (*log_bytes)(void* program, std::size_t* bytes);
  Status (*log)(void* program, char* text);
  Status (*image_bytes)(void* program, std::size_t* bytes);
  Status (*image)(void* program, char* image);
};

}  // namespace halfmark::backends::shim
