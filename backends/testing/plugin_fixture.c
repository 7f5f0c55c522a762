/* SPDX-License-Identifier: Apache-2.0
 *
 * A plug-in in plain C, as a vendor would build one: it only has memory, and its compiler refuses
 * everything. Compiled several times with one mistake each, to check that the loader names the
 * mistake. Also proves that abi.h is C. With HM_FIXTURE_TRACE set, every process that loads it
 * appends a line to that file: its process id and its command line.
 */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "backends/abi.h"

#ifndef HM_FIXTURE_ON_END
#define HM_FIXTURE_ON_END
#endif
#ifndef HM_FIXTURE_ON_OPEN
#define HM_FIXTURE_ON_OPEN
#endif
#ifndef HM_FIXTURE_ON_LOAD
#define HM_FIXTURE_ON_LOAD
#endif

/* Leaves another rounding direction, and where it can, no subnormals. */
static void spoil_arithmetic(void) {
  fesetround(FE_UPWARD);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

/* Writes an unsolicited line to the descriptor on which a worker answers. */
static void answer_unasked(void) {
  static const char line[] = "{\"names\":7,\"error\":[]}\n";
  if (write(4, line, sizeof line - 1) < 0) _exit(1);
}

__attribute__((constructor)) static void on_load(void) {
  const char* trace = getenv("HM_FIXTURE_TRACE");
  FILE* file = trace == NULL ? NULL : fopen(trace, "a");
  if (file != NULL) {
    char line[256] = "";
    FILE* command = fopen("/proc/self/cmdline", "r");
    const size_t bytes = command == NULL ? 0 : fread(line, 1, sizeof line - 1, command);
    for (size_t i = 0; i < bytes; ++i) line[i] = line[i] == '\0' ? ' ' : line[i];
    if (command != NULL) fclose(command);
    fprintf(file, "%d %s\n", (int)getpid(), line);
    fclose(file);
  }
  HM_FIXTURE_ON_LOAD;
}

struct HmBuffer {
  unsigned char* bytes;
};

static HmErrorInfo last = {"nothing", 0, 0, ""};
static int opened;

static const char* status(void* context) {
  (void)context;
  return "ok";
}
static const char* careless_status(void* context) {
  spoil_arithmetic();
  return status(context);
}
static const char* no_status(void* context) {
  (void)context;
  return "";
}
#ifndef HM_FIXTURE_COUNT
#define HM_FIXTURE_COUNT 2
#endif
static uint32_t device_count(void* context) {
  static uint32_t asked; /* the count that fixture_growing gives */
  (void)context;
  asked += 1;
  return HM_FIXTURE_COUNT;
}
#ifndef HM_FIXTURE_SAYS
#define HM_FIXTURE_SAYS "the second device is gone"
#endif
#define HM_FIXTURE_REST "\"kind\": \"simulator\", \"memory_bytes\": 1024, \"max_group_items\": 256"
#ifndef HM_FIXTURE_JSON
#define HM_FIXTURE_JSON "{\"name\": \"Fixture\", " HM_FIXTURE_REST ", \"extra\": {\"answer\": 42}}"
#endif
static int32_t describe(void* context, uint32_t index, const char** json) {
  (void)context;
  *json = index == 0 ? HM_FIXTURE_JSON : "{\"name\": \"Fixture two\", " HM_FIXTURE_REST "}";
  return 0;
}
static int32_t device_open(void* context, uint32_t index, const char* options, HmDevice** device) {
  (void)context;
  if (index == 1 || strcmp(options, "{}") != 0) {
    last = (HmErrorInfo){"fixtureOpen", 77, 1, HM_FIXTURE_SAYS};
    return -5;
  }
  HM_FIXTURE_ON_OPEN;
  opened += 1;
  *device = (HmDevice*)&opened;
  return 0;
}
static void last_error(void* context, HmErrorInfo* error) {
  (void)context;
  *error = last;
}
static int32_t device_describe(HmDevice* device, const char** json) {
  (void)device;
  return describe(NULL, 0, json);
}
static void device_close(HmDevice* device) {
  (void)device;
  HM_FIXTURE_ON_END;
  opened -= 1;
}
static int32_t buffer_create(HmDevice* device, uint64_t bytes, HmBuffer** buffer) {
  HmBuffer* made = malloc(sizeof *made);
  (void)device;
  made->bytes = malloc(bytes);
  *buffer = made;
  return 0;
}
static void buffer_destroy(HmBuffer* buffer) {
  HM_FIXTURE_ON_END;
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
static int32_t program_build(HmDevice* device, const char* source, const HmDefine* defines,
                             uint32_t count, HmProgram** program) {
  (void)device, (void)source, (void)program;
  last =
      (HmErrorInfo){"fixtureBuild", (int32_t)count, 0, count > 0 ? defines[0].name : "no compiler"};
  return 1;
}
static void program_destroy(HmProgram* program) { (void)program; }
static const char* program_log(HmProgram* program) {
  (void)program;
  return "";
}
static int32_t program_image(HmProgram* program, const void** data, uint64_t* bytes) {
  (void)program;
  *data = NULL;
  *bytes = 0;
  return 0;
}
static int32_t program_launch(HmProgram* program, const char* entry, const HmGrid* grid,
                              const HmArgument* arguments, uint32_t count, uint64_t* elapsed_ns) {
  (void)program, (void)entry, (void)grid, (void)arguments, (void)count, (void)elapsed_ns;
  return 1;
}

/* Gives no reason: last_error() keeps whatever failed before. */
static int32_t decline(HmDevice* device, const HmOperator* call, uint64_t* elapsed_ns) {
  (void)device, (void)call, (void)elapsed_ns;
  return HM_NOT_SUPPORTED;
}

#ifndef HM_FIXTURE_OPERATOR
#define HM_FIXTURE_OPERATOR NULL
#endif
#ifndef HM_FIXTURE_VERSION
#define HM_FIXTURE_VERSION HM_BACKEND_ABI_VERSION
#endif
#ifndef HM_FIXTURE_BYTES
#define HM_FIXTURE_BYTES sizeof(HmBackendApi)
#endif
#ifndef HM_FIXTURE_ENTRY
#define HM_FIXTURE_ENTRY hm_backend_api_v1
#endif
#ifndef HM_FIXTURE_NAME
#define HM_FIXTURE_NAME "fixture"
#endif
#ifndef HM_FIXTURE_STATUS
#define HM_FIXTURE_STATUS status
#endif
#ifndef HM_FIXTURE_TABLE
#define HM_FIXTURE_TABLE &table
#endif

const char* hm_fixture_throw(void* context); /* plugin_fixture_throw.cpp */

static const HmBackendApi table = {HM_FIXTURE_VERSION,
                                   HM_FIXTURE_BYTES,
                                   HM_FIXTURE_NAME,
                                   NULL,
                                   HM_FIXTURE_STATUS,
                                   device_count,
                                   describe,
                                   device_open,
                                   last_error,
                                   device_describe,
                                   device_close,
                                   buffer_create,
                                   buffer_destroy,
                                   buffer_write,
                                   buffer_read,
                                   program_build,
                                   program_destroy,
                                   program_log,
                                   program_image,
                                   program_launch,
                                   HM_FIXTURE_OPERATOR,
                                   NULL /* device_memory */};

const HmBackendApi* HM_FIXTURE_ENTRY(void);
const HmBackendApi* HM_FIXTURE_ENTRY(void) { return HM_FIXTURE_TABLE; }
