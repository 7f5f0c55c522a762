/* SPDX-License-Identifier: Apache-2.0
 *
 * A complete backend in plain C: the machine's C++ compiler and one thread as a device. It runs
 * every case of every suite except fp16 arithmetic, which it does not offer. Start your own backend
 * from this file; everything specific to this device is in compile.c, groups.c
 * and, for the operators of a library, library.c.
 *
 * Assumptions:
 *  1. Linux, and c++ on the PATH when a kernel is built; without it status() says so.
 *  2. One thread at a time uses a handle (abi.h), and groups.c runs one launch at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "example.h"
#include "library.h"

/* One opened device. It has no state, but a handle must point to something. */
struct HmDevice {
  int open;
};
struct HmProgram {
  struct Kernels* kernels;
};

/* --- errors: what failed, kept per thread until the next failure ------------------------------ */

static _Thread_local char last_text[16384];
static _Thread_local const char* last_call = "nothing";
static _Thread_local int32_t last_code;

static int32_t fail(const char* call, int32_t code, const char* text) {
  snprintf(last_text, sizeof last_text, "%s", text);
  last_call = call;
  last_code = code;
  return 1;
}

static void last_error(void* context, HmErrorInfo* error) {
  (void)context;
  *error = (HmErrorInfo){.call = last_call, .code = last_code, .text = last_text};
}

/* --- devices ---------------------------------------------------------------------------------- */

static const char* status(void* context) {
  (void)context;
  return compiler_runs() ? "ok" : "no C++ compiler: install g++, so that 'c++' runs";
}

static uint32_t device_count(void* context) { return strcmp(status(context), "ok") == 0 ? 1 : 0; }

static const char kDescription[] =
    "{\"name\": \"Example: the C++ compiler as a device\", \"kind\": \"cpu\","
    " \"platform\": \"example\", \"vendor\": \"Example\", \"driver_version\": \"1.0\","
    " \"memory_bytes\": %llu, \"local_memory_bytes\": 65536, \"max_group_items\": %u,"
    " \"compute_units\": 1, \"extra\": {\"clock\": \"host: clock_gettime\"}, \"promises\": ["
    "{\"capability\": \"fp16.storage\", \"offered\": true,"
    " \"evidence\": \"the compiler has _Float16\", \"clause\": \"ISO/IEC TS 18661-3\"},"
    "{\"capability\": \"fp16.subnormals\", \"offered\": true,"
    " \"evidence\": \"conversions keep them\", \"clause\": \"ISO/IEC TS 18661-3\"},"
    "{\"capability\": \"fp16.arithmetic\", \"offered\": false,"
    " \"evidence\": \"dialect.h defines no fp16 operation\", \"clause\": \"this example\"},"
    "{\"capability\": \"fp32.subnormals\", \"offered\": true,"
    " \"evidence\": \"the thread flushes nothing\", \"clause\": \"ISO C, annex F\"},"
    "{\"capability\": \"fp32.fma\", \"offered\": true,"
    " \"evidence\": \"fmaf\", \"clause\": \"ISO C, annex F\"},"
    "{\"capability\": \"fp32.signed_zero\", \"offered\": true,"
    " \"evidence\": \"no fast-math flag\", \"clause\": \"ISO C, annex F\"},"
    "{\"capability\": \"fp32.divide_sqrt_correctly_rounded\", \"offered\": true,"
    " \"evidence\": \"the processor's division and sqrtf\", \"clause\": \"ISO C, annex F\"}],"
    " \"libraries\": [{\"name\": \"example\", \"version\": \"1.0\", \"kind\": \"library\","
    " \"usable\": true, \"evidence\": \"built in: library.c\", \"operators\": [%s]}]}";

static int32_t describe(void* context, uint32_t index, const char** json) {
  static _Thread_local char text[4096];
  const unsigned long long bytes =
      (unsigned long long)sysconf(_SC_PHYS_PAGES) * (unsigned long long)sysconf(_SC_PAGESIZE);
  (void)context;
  if (index != 0) return fail("describe", (int32_t)index, "there is one device");
  char operators[1024];
  list_operators(operators, sizeof operators);
  snprintf(text, sizeof text, kDescription, bytes, (unsigned)kMaxItems, operators);
  *json = text;
  return 0;
}

static int32_t device_open(void* context, uint32_t index, const char* options, HmDevice** device) {
  (void)context;
  if (index != 0) return fail("device_open", (int32_t)index, "there is one device");
  if (strcmp(options, "{}") != 0) {
    char text[256];
    snprintf(text, sizeof text, "unknown option in %s", options);
    return fail("device_open", 0, text);
  }
  HmDevice* made = calloc(1, sizeof *made);
  if (made == NULL) return fail("calloc", 0, "no memory");
  made->open = 1;
  *device = made;
  return 0;
}

static int32_t device_describe(HmDevice* device, const char** json) {
  (void)device;
  return describe(NULL, 0, json);
}

static void device_close(HmDevice* device) { free(device); }

/* --- buffers ---------------------------------------------------------------------------------- */

static int32_t buffer_create(HmDevice* device, uint64_t bytes, HmBuffer** buffer) {
  (void)device;
  HmBuffer* made = calloc(1, sizeof *made);
  if (made != NULL) made->bytes = malloc(bytes);
  if (made == NULL || made->bytes == NULL) {
    free(made);
    return fail("malloc", 0, "no memory");
  }
  *buffer = made;
  return 0;
}

static void buffer_destroy(HmBuffer* buffer) {
  free(buffer->bytes);
  free(buffer);
}

static int32_t buffer_write(HmBuffer* buffer, uint64_t offset, const void* source, uint64_t bytes) {
  memcpy(buffer->bytes + offset, source, bytes);
  return 0;
}

static int32_t buffer_read(HmBuffer* buffer, uint64_t offset, void* target, uint64_t bytes) {
  memcpy(target, buffer->bytes + offset, bytes);
  return 0;
}

/* --- programs --------------------------------------------------------------------------------- */

static int32_t program_build(HmDevice* device, const char* source, const HmDefine* defines,
                             uint32_t define_count, HmProgram** program) {
  (void)device;
  char log[sizeof last_text];
  int machine_failed = 0;
  struct Kernels* kernels =
      compile(source, defines, define_count, log, sizeof log, &machine_failed);
  if (kernels == NULL) {
    fail("c++", 1, log);
    return machine_failed ? HM_ENVIRONMENT : 1; /* the machine's failure is no verdict */
  }
  HmProgram* made = calloc(1, sizeof *made);
  if (made == NULL) return fail("calloc", 0, "no memory");
  made->kernels = kernels;
  *program = made;
  return 0;
}

static void program_destroy(HmProgram* program) {
  release(program->kernels);
  free(program);
}

static const char* program_log(HmProgram* program) {
  (void)program;
  return "";
}

static int32_t program_image(HmProgram* program, const void** data, uint64_t* bytes) {
  (void)program;
  *data = NULL; /* nothing to show */
  *bytes = 0;
  return 0;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int32_t program_launch(HmProgram* program, const char* entry, const HmGrid* grid,
                              const HmArgument* arguments, uint32_t argument_count,
                              uint64_t* elapsed_ns) {
  const KernelEntry kernel = find_kernel(program->kernels, entry);
  char text[256];
  snprintf(text, sizeof text, "the program has no kernel '%s'", entry);
  if (kernel == NULL || kernel(NULL) < 0) return fail("find_kernel", 0, text);
  if (argument_count > kMaxArguments || kernel(NULL) != (int)argument_count) {
    return fail("program_launch", (int32_t)argument_count, "wrong number of arguments");
  }
  if ((uint64_t)grid->items[0] * grid->items[1] * grid->items[2] > kMaxItems) {
    return fail("program_launch", 0, "a group has too many items");
  }
  void* values[kMaxArguments];
  void* pointers[kMaxArguments]; /* a buffer's argument is the address of its bytes */
  for (uint32_t i = 0; i < argument_count; ++i) {
    pointers[i] = arguments[i].kind == HM_ARGUMENT_BUFFER ? arguments[i].value.buffer->bytes : NULL;
    values[i] = pointers[i] != NULL ? (void*)&pointers[i] : (void*)&arguments[i].value;
  }
  const uint64_t start = now_ns();
  if (!run_groups(program->kernels, kernel, grid, values)) {
    return fail("run_groups", 0, "no memory for the items' stacks");
  }
  *elapsed_ns = now_ns() - start;
  return 0;
}

static int32_t operator_run(HmDevice* device, const HmOperator* call, uint64_t* elapsed_ns) {
  char why[256];
  const uint64_t start = now_ns();
  (void)device;
  if (!run_operator(call, why, sizeof why)) {
    fail("example", 0, why);
    return HM_NOT_SUPPORTED;
  }
  *elapsed_ns = now_ns() - start;
  return 0;
}

/* --- the table -------------------------------------------------------------------------------- */

const HmBackendApi* hm_backend_api_v1(void) {
  static const HmBackendApi table = {
      .abi_version = HM_BACKEND_ABI_VERSION,
      .struct_bytes = sizeof(HmBackendApi),
      .name = "example",
      .context = NULL,
      .status = status,
      .device_count = device_count,
      .describe = describe,
      .device_open = device_open,
      .last_error = last_error,
      .device_describe = device_describe,
      .device_close = device_close,
      .buffer_create = buffer_create,
      .buffer_destroy = buffer_destroy,
      .buffer_write = buffer_write,
      .buffer_read = buffer_read,
      .program_build = program_build,
      .program_destroy = program_destroy,
      .program_log = program_log,
      .program_image = program_image,
      .program_launch = program_launch,
      .operator_run = operator_run,
  };
  return &table;
}
