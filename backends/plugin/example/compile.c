/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds kernel text: dialect.h, the text, and one entry per kernel, compiled by c++ into a shared
 * library that is loaded and deleted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dialect_text.h" /* made by CMakeLists.txt: const char kDialect[] */
#include "example.h"

enum { kMaxFlags = 128, kPathBytes = 256 };
extern char** environ;

/* Runs `argv` and returns its exit status, or -1; all its output goes to the file `output`. */
static int run(char* const* argv, const char* output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child;
  int state = -1;
  if (posix_spawnp(&child, argv[0], &actions, NULL, argv, environ) == 0) {
    while (waitpid(child, &state, 0) < 0) {
    }
  }
  posix_spawn_file_actions_destroy(&actions);
  return state >= 0 && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

int compiler_runs(void) {
  char* const argv[] = {"c++", "--version", NULL};
  return run(argv, "/dev/null") == 0;
}

/* Writes a line for each kernel of the text; a kernel begins with `HM_KERNEL name(` at the start of
 * a line. */
static void write_for_kernels(FILE* file, const char* source, const char* before,
                              const char* between, const char* after) {
  static const char kWord[] = "HM_KERNEL ";
  for (const char* line = source; line != NULL; line = strchr(line, '\n')) {
    if (*line == '\n') ++line;
    if (strncmp(line, kWord, strlen(kWord)) != 0) continue;
    const char* name = line + strlen(kWord);
    const int letters = (int)strcspn(name, "(");
    fprintf(file, "%s%.*s%s", before, letters, name, between);
    if (after != NULL) fprintf(file, "%.*s%s", letters, name, after);
  }
}

static int write_source(const char* path, const char* source) {
  FILE* file = fopen(path, "w");
  if (file == NULL) return 0;
  fprintf(file, "%s\n", kDialect);
  /* The name of a kernel that a definition left out resolves to this object of the outer namespace.
   */
  write_for_kernels(file, source, "static const example_absent ", "{};\n", NULL);
  fprintf(file, "namespace example_kernels {\n#line 1 \"kernel\"\n%s\n#line 1 \"entries\"\n",
          source);
  write_for_kernels(file, source, "extern \"C\" int example_enter_",
                    "(void** values) { return example_enter(", ", values); }\n");
  fprintf(file,
          "}\nextern \"C\" example_position** example_now_address() {\n"
          "  return &example_now;\n}\n");
  return fclose(file) == 0;
}

static int build(const char* source, const char* library, const char* log, const HmDefine* defines,
                 uint32_t define_count) {
  static const char* const kFlags[] = {"c++",
                                       "-x",
                                       "c++",
                                       "-w",
                                       "-O2",
                                       "-std=c++17",
                                       "-fPIC",
                                       "-shared",
                                       "-ffp-contract=off",
                                       "-fno-math-errno"};
  enum { kFlagCount = sizeof kFlags / sizeof *kFlags };
  char* argv[kMaxFlags];
  char* words[kMaxFlags];
  uint32_t count = 0;
  if (define_count + kFlagCount + 4 > kMaxFlags) return 0;
  for (; count < kFlagCount; ++count) argv[count] = (char*)kFlags[count];
  for (uint32_t i = 0; i < define_count; ++i) {
    if (asprintf(&words[i], "-D%s=%s", defines[i].name, defines[i].value) < 0) words[i] = NULL;
    argv[count++] = words[i];
  }
  argv[count++] = (char*)"-o";
  argv[count++] = (char*)library;
  argv[count++] = (char*)source;
  argv[count] = NULL;
  const int status = run(argv, log);
  for (uint32_t i = 0; i < define_count; ++i) free(words[i]);
  return status == 0;
}

static void read_text(const char* path, char* text, size_t bytes) {
  FILE* file = fopen(path, "r");
  const size_t got = file == NULL ? 0 : fread(text, 1, bytes - 1, file);
  text[got] = '\0';
  if (file != NULL) fclose(file);
}

static struct Kernels* load(const char* library, const char* source, char* log, size_t log_bytes) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  struct Kernels* kernels = handle == NULL ? NULL : calloc(1, sizeof *kernels);
  if (kernels == NULL) {
    snprintf(log, log_bytes, "%s", handle == NULL ? dlerror() : "no memory");
    return NULL;
  }
  struct Position** (*address)(void);
  *(void**)&address = dlsym(handle, "example_now_address");
  kernels->library = handle;
  kernels->now = address();
  kernels->has_barriers = strstr(source, "HM_BARRIER()") != NULL;
  return kernels;
}

struct Kernels* compile(const char* source, const HmDefine* defines, uint32_t define_count,
                        char* log, size_t log_bytes, int* machine_failed) {
  char folder[kPathBytes - 16];
  const char* place = getenv("TMPDIR") == NULL ? "/tmp" : getenv("TMPDIR");
  *machine_failed = 1;
  if (snprintf(folder, sizeof folder, "%s/halfmark-example-XXXXXX", place) >= (int)sizeof folder ||
      mkdtemp(folder) == NULL) {
    snprintf(log, log_bytes,
             "%s: no folder can be made there; set TMPDIR to one that can be written", place);
    return NULL;
  }
  char paths[3][kPathBytes];
  static const char* const kNames[] = {"kernel.cpp", "kernel.so", "log"};
  for (int i = 0; i < 3; ++i) snprintf(paths[i], kPathBytes, "%s/%s", folder, kNames[i]);
  struct Kernels* kernels = NULL;
  snprintf(log, log_bytes, "%s: cannot be written; free space there, or set TMPDIR", paths[0]);
  if (write_source(paths[0], source)) {
    *machine_failed = 0;
    if (build(paths[0], paths[1], paths[2], defines, define_count)) {
      kernels = load(paths[1], source, log, log_bytes);
    } else {
      read_text(paths[2], log, log_bytes);
    }
  }
  for (int i = 0; i < 3; ++i) unlink(paths[i]);
  rmdir(folder);
  return kernels;
}

KernelEntry find_kernel(const struct Kernels* kernels, const char* name) {
  char symbol[kPathBytes];
  KernelEntry entry;
  snprintf(symbol, sizeof symbol, "example_enter_%s", name);
  *(void**)&entry = dlsym(kernels->library, symbol);
  return entry;
}

void release(struct Kernels* kernels) {
  dlclose(kernels->library);
  free(kernels);
}
