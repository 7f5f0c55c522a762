/* SPDX-License-Identifier: Apache-2.0
 *
 * The plug-in interface of a backend: one table of C functions.
 *
 * Decides what a backend must offer and with which signatures. It does not decide how a backend
 * does it, and it defines no operator: a backend moves bytes, launches kernels, and passes calls on
 * to the operators of its vendor's libraries.
 *
 * A plug-in is a shared library that exports
 *     const HmBackendApi* hm_backend_api_v1(void);
 * The function returns a table that lives as long as the process. Plug-ins are never unloaded.
 *
 * README.md of the plug-in package explains this interface in prose, with an example; operators.md
 * lists everything that operator_run is asked.
 *
 * Assumptions, binding on both sides:
 *  1. Every function that can fail returns 0 for success and any other number for failure. After a
 * failure, last_error() on the same thread describes it. A function that fails leaves its results
 * untouched.
 *  2. Text is UTF-8 and NUL-terminated. The backend owns the text that it returns and keeps it
 * readable until the same function is called again on the same thread with the same handle (or
 * context), or the handle is destroyed.
 *  3. No exception and no longjmp crosses the table.
 *  4. Calls may come from any thread; the caller never uses one handle from two threads at once.
 *  5. Nothing is initialised before the first call: loading the library must not touch a driver.
 *  6. Later revisions of a version only append to the table. struct_bytes is the size that the
 * backend was compiled with; neither side reads beyond the smaller of the two sizes. Any other
 * change makes a new version with a new entry point; an unknown version is refused by name.
 *  7. The devices of a process do not change: device_count and the order of the devices stay the
 * same from the first call on. A device that disappears fails its calls with device_lost.
 */
#ifndef HALFMARK_BACKENDS_ABI_H
#define HALFMARK_BACKENDS_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HM_BACKEND_ABI_VERSION 1u
#define HM_BACKEND_ABI_REVISION 2u /* members appended to the table of this version so far */
#define HM_BACKEND_ENTRY_POINT "hm_backend_api_v1"

typedef struct HmDevice HmDevice;   /* an opened device */
typedef struct HmBuffer HmBuffer;   /* memory of a device */
typedef struct HmProgram HmProgram; /* a built kernel source */

/* Why the last call on this thread failed. */
typedef struct HmErrorInfo {
  const char* call;    /* the vendor's function, or the step, that failed */
  int32_t code;        /* the vendor's own number */
  int32_t device_lost; /* not 0: no further call on the device can succeed */
  const char* text;    /* the vendor's own text: the name of the code, a build log */
} HmErrorInfo;

/* One -D option of a build. */
typedef struct HmDefine {
  const char* name;
  const char* value;
} HmDefine;

enum {
  HM_ARGUMENT_BUFFER = 0,
  HM_ARGUMENT_INT32 = 1,
  HM_ARGUMENT_UINT32 = 2,
  HM_ARGUMENT_FLOAT = 3
};

typedef struct HmArgument {
  int32_t kind; /* one of HM_ARGUMENT_ */
  int32_t reserved;
  union {
    HmBuffer* buffer;
    int32_t int32;
    uint32_t uint32;
    float float32;
  } value;
} HmArgument;

enum {
  HM_NOT_SUPPORTED = 2, /* operator_run: the library declines; last_error() is its own answer */
  /* Any call: the machine rather than the device is at fault (no compiler, a full disk). The text
   * of last_error() is one line: the thing, what is wrong, and the remedy. No verdict follows: the
   * run of the device ends and can be resumed. */
  HM_ENVIRONMENT = 0x484d454e
};

/* The number of work-groups, and of work-items in each group. No number may be 0. */
typedef struct HmGrid {
  uint32_t groups[3];
  uint32_t items[3];
} HmGrid;

/* One operand or result of a library operator: a strided view of elements in a buffer. Strides
 * define the whole layout: the rows of a transposed matrix are a stride of 1 apart. */
typedef struct HmTensor {
  const char* role; /* "a", "b", "d", "x", "y", "gamma", ...: operators.md of the plug-in package */
  HmBuffer* buffer;
  uint64_t offset_bytes;
  const char* format; /* "fp16", "fp32", "e4m3fn", ... */
  uint32_t rank;      /* at most 4 */
  uint32_t reserved;
  int64_t sizes[4];   /* outermost first; a size may be 0 */
  int64_t strides[4]; /* in elements; may be 0 */
} HmTensor;

typedef struct HmScalar {
  const char* name; /* "alpha", "beta", "eps" */
  double value;     /* exactly representable in the type that the operator takes */
} HmScalar;

/* One call of a library operator. */
typedef struct HmOperator {
  const char* library; /* one of the description's usable "libraries" */
  const char* name;    /* "gemm", "softmax", ... */
  const char* compute; /* the requested arithmetic: "fp32", "tf32", "fp16", ... */
  const HmTensor* tensors;
  const HmScalar* scalars;
  const HmDefine* options; /* everything else: {"activation", "relu"} */
  uint32_t tensor_count;
  uint32_t scalar_count;
  uint32_t option_count;
  uint32_t reserved;
} HmOperator;

/* What the runtime says of a device's memory at this moment. */
typedef struct HmMemory {
  const char* source; /* who says so: the runtime's call, or a file of the system */
  uint64_t free_bytes;
  uint64_t total_bytes;
  uint64_t used_bytes; /* by this process; read only where of_process is not 0 */
  uint32_t of_process; /* 0: the runtime knows everybody's use alone, which is total - free */
  uint32_t reserved;
} HmMemory;

typedef struct HmBackendApi {
  uint32_t abi_version;  /* HM_BACKEND_ABI_VERSION */
  uint32_t struct_bytes; /* sizeof(HmBackendApi) */
  /* At most 31 lower-case letters, digits and '_': the part of a device selector before the colon.
   * "all" is reserved: it means every backend. */
  const char* name;
  void* context; /* passed as the first parameter below; may be null */

  /* "ok", or one line that names what is missing and the remedy. The first call looks for
   * devices. */
  const char* (*status)(void* context);
  /* 0 when the status is not "ok" (and may be 0 when it is). */
  uint32_t (*device_count)(void* context);
  /* A JSON object that describes one device; README.md of the plug-in package lists its keys. */
  int32_t (*describe)(void* context, uint32_t index, const char** json);
  /* options is a JSON object; a backend refuses keys that it does not know, and always accepts
   * "{}". */
  int32_t (*device_open)(void* context, uint32_t index, const char* options, HmDevice** device);
  void (*last_error)(void* context, HmErrorInfo* error);

  /* As describe, for the opened device: reflects its options and the current sensor values. */
  int32_t (*device_describe)(HmDevice* device, const char** json);
  /* The caller has destroyed the device's buffers and programs before. */
  void (*device_close)(HmDevice* device);

  /* The content of a new buffer is unspecified. bytes is not 0. */
  int32_t (*buffer_create)(HmDevice* device, uint64_t bytes, HmBuffer** buffer);
  void (*buffer_destroy)(HmBuffer* buffer);
  /* Both wait until the bytes have arrived. The caller keeps offset and bytes inside the buffer. */
  int32_t (*buffer_write)(HmBuffer* buffer, uint64_t offset, const void* source, uint64_t bytes);
  int32_t (*buffer_read)(HmBuffer* buffer, uint64_t offset, void* target, uint64_t bytes);

  /* source is kernel text in the dialect of kernels/README.md; the backend prepends its own
   * definitions of the dialect. A failed build reports the vendor's log as the error text. */
  int32_t (*program_build)(HmDevice* device, const char* source, const HmDefine* defines,
                           uint32_t define_count, HmProgram** program);
  void (*program_destroy)(HmProgram* program);
  /* The vendor's log of a successful build; may be "". */
  const char* (*program_log)(HmProgram* program);
  /* The device's code for the program; null when the backend has none to show. */
  int32_t (*program_image)(HmProgram* program, const void** data, uint64_t* bytes);
  /* Runs one kernel and waits for it. elapsed_ns is the time on the device by its own clock, or by
   * the host's clock when the device has none. */
  int32_t (*program_launch)(HmProgram* program, const char* entry, const HmGrid* grid,
                            const HmArgument* arguments, uint32_t argument_count,
                            uint64_t* elapsed_ns);

  /* Revision 1. May be null in a backend without libraries. Runs one operator and waits for it.
   * Returns 0, or HM_NOT_SUPPORTED with nothing touched, or another number for failure. */
  int32_t (*operator_run)(HmDevice* device, const HmOperator* call, uint64_t* elapsed_ns);

  /* Revision 2. May be null where the runtime cannot be asked. Returns 0, or HM_NOT_SUPPORTED where
   * it does not say, with its reason as last_error(), or another number for failure. */
  int32_t (*device_memory)(HmDevice* device, HmMemory* memory);
} HmBackendApi;

typedef const HmBackendApi* (*HmBackendEntryPoint)(void);

#ifdef __cplusplus
}
#endif

#endif
