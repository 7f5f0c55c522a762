/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the example's device, below the table in device.c: memory, a compiler (compile.c)
 * and a way to run the items of a group (groups.c).
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <halfmark/backend_abi.h>
#include <stddef.h>

struct HmBuffer {
  unsigned char* bytes;
};

enum { kMaxItems = 256, kMaxArguments = 64 };

/* Runs one item with pointers to the arguments; null only returns the number of arguments. */
typedef int (*KernelEntry)(void** values);

/* Must match struct example_position of dialect.h. */
struct Position {
  int item[3], group[3], items[3], groups[3];
  void (*barrier)(void);
};

struct Kernels {
  void* library;
  struct Position** now; /* the library's pointer to the position of the running item */
  int has_barriers;
};

int compiler_runs(void);
/* Returns null when the text does not build; `log` then says why, and `machine_failed` is set if
 * that is no fault of the text, which could not even be written. */
struct Kernels* compile(const char* source, const HmDefine* defines, uint32_t define_count,
                        char* log, size_t log_bytes, int* machine_failed);
KernelEntry find_kernel(const struct Kernels* kernels, const char* name);
void release(struct Kernels* kernels);

/* Returns 0 when there is no memory for the stacks of the items. */
int run_groups(const struct Kernels* kernels, KernelEntry kernel, const HmGrid* grid,
               void** values);

#endif
