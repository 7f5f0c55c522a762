// SPDX-License-Identifier: Apache-2.0
//
// The search for a compiler that works, among libraries that this test builds: one as it lies
// in a wheel, which opens what it needs by a bare name; one without what it needs; one that
// kills the process.
#include "backends/shim/compiler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "backends/shim/image_store.hpp"
#include "backends/shim/search.hpp"

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"$HM_TEST_WHEELS/*/lib"};
constexpr Symbol kSymbols[] = {{"thingVersion", offsetof(CompilerCalls, version), true},
                               {"thingError", offsetof(CompilerCalls, error_name_of), true},
                               {"thingCount", offsetof(CompilerCalls, architecture_count), true},
                               {"thingList", offsetof(CompilerCalls, architectures), true},
                               {"thingCreate", offsetof(CompilerCalls, create), true},
                               {"thingDestroy", offsetof(CompilerCalls, destroy), true},
                               {"thingCompile", offsetof(CompilerCalls, compile), true},
                               {"thingLogBytes", offsetof(CompilerCalls, log_bytes), true},
                               {"thingLog", offsetof(CompilerCalls, log), true},
                               {"thingImageBytes", offsetof(CompilerCalls, image_bytes), true},
                               {"thingImage", offsetof(CompilerCalls, image), true}};
constexpr std::string_view kDialect = "";
constexpr const char* kParts[] = {"libthingengine.so*"};
constexpr const char* kVariables[] = {"THINGRTC_"};

// A compiler of version MAJOR that makes code for 75 and ARCHITECTURE.
constexpr const char* kText = R"(
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
int thingVersion(int* major, int* minor) { *major = MAJOR; *minor = 0; return 0; }
const char* thingError(int status) { return status == 7 ? "BUILTIN_OPERATION_FAILURE" : "OTHER"; }
int thingCount(int* count) { *count = 2; return 0; }
int thingList(int* list) { list[0] = 75; list[1] = ARCHITECTURE; return 0; }
int thingCreate(void** p, const char* s, const char* n, int c, const char* const* h, const char* const* i) { *p = 0; return 0; }
int thingDestroy(void** p) { return 0; }
int thingCompile(void* p, int count, const char* const* options) {
  return dlopen("STEM-builtins.so.MAJOR", RTLD_NOW) == 0 ? 7 : 0;
}
static const char kLog[] = "failed to open the builtins";
int thingLogBytes(void* p, size_t* bytes) { *bytes = sizeof kLog; return 0; }
int thingLog(void* p, char* text) { memcpy(text, kLog, sizeof kLog); return 0; }
int thingImageBytes(void* p, size_t* bytes) { *bytes = 4; return 0; }
int thingImage(void* p, char* image) { memcpy(image, "code", 4); return 0; }
)";

class CompilerTest : public testing::Test {
 protected:
  CompilerTest()
      : folder_(fs::temp_directory_path() / fmt::format("halfmark-compiler-{}", getpid())),
        stem_(fmt::format("libthingrtc{}", ++count_)) {
    fs::remove_all(folder_);
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      texts_[i] = stem_ + (i == 0 ? ".so.2" : i == 1 ? ".so.1" : "-builtins.so*");
      names_[i] = texts_[i].c_str();
    }
    ::setenv("HM_TEST_WHEELS", folder_.c_str(), 1);
    ::setenv("HALFMARK_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    ::unsetenv("HM_TEST_COMPILER");
    vendor_.backend = "thing";
    vendor_.platform = "THING";
    vendor_.kernel_suffix = ".thing";
    vendor_.dialect = &kDialect;
    vendor_.compiler_follows_driver = true;
    vendor_.architectures = {
        .from = Architectures::From::kCapability, .prefix = "t_", .option = "--arch="};
    vendor_.compiler = {.variable = "HM_TEST_COMPILER",
                        .names = std::span(names_).first(2),
                        .folders = kFolders,
                        .symbols = kSymbols,
                        .remedy = "install it",
                        .companions = std::span(names_).last(1),
                        .parts = kParts};
    vendor_.compiler_variables = kVariables;
  }
  ~CompilerTest() override { fs::remove_all(folder_); }

  static void build(const fs::path& file, const std::string& text, const std::string& options) {
    const fs::path source = file.string() + ".c";
    std::ofstream(source) << text;
    const std::string command =
        fmt::format("cc -w -shared -fPIC {} -o {} {} -Wl,-soname,{}", options, file.string(),
                    source.string(), file.filename().string());
    ASSERT_EQ(0, std::system(command.c_str())) << command;
  }
  // The two files of a wheel.
  void wheel(int major, int architecture, bool is_whole = true) {
    const fs::path lib = folder_ / fmt::format("cu{}", major) / "lib";
    fs::create_directories(lib);
    std::string text(kText);
    text.replace(text.find("so.MAJOR") + 3, 5, std::to_string(major));
    text.replace(text.find("STEM"), 4, stem_);
    build(lib / fmt::format("{}.so.{}", stem_, major), text,
          fmt::format("-DMAJOR={} -DARCHITECTURE={}", major, architecture));
    if (is_whole) build(lib / fmt::format("{}-builtins.so.{}", stem_, major), "int nothing;", "");
  }
  [[nodiscard]] FoundCompiler found(int capability = 90, std::vector<std::string> skipped = {}) {
    return find_compiler(vendor_,
                         {.driver_major = 2,
                          .capability = capability,
                          .skipped = std::move(skipped),
                          .reasons = {},
                          .before = [this](const std::string& name) { tried_.push_back(name); },
                          .prove =
                              [this](const FoundCompiler& one, const OpenLibrary& library) {
                                prove_compiler(vendor_, one, library, "t_90");
                              }});
  }
  [[nodiscard]] std::string path(int major) const {
    return folder_ / fmt::format("cu{0}/lib/{1}.so.{0}", major, stem_);
  }

  [[nodiscard]] std::string content_of(const std::string& file) const {
    return compiler_content(file, vendor_.compiler);
  }

  // The loader knows a library by its name for the rest of the process, so each test has its own.
  inline static int count_ = 0;
  fs::path folder_;
  std::string stem_;
  std::array<std::string, 3> texts_;  // two libraries, and what is beside them
  std::array<const char*, 3> names_{};
  Vendor vendor_{};
  std::vector<std::string> tried_;
};

TEST_F(CompilerTest, WhatItOpensByABareNameIsOpenedFirst) {
  wheel(2, 90);
  EXPECT_EQ(path(2), found().path);
}

TEST_F(CompilerTest, OneThatCompilesNothingIsLeftForTheNext) {
  wheel(2, 90, false);
  wheel(1, 90);
  EXPECT_EQ(path(1), found().path);
}

TEST_F(CompilerTest, TheReasonHoldsTheFileAndItsOwnWords) {
  wheel(2, 90, false);
  try {
    static_cast<void>(found());
    FAIL() << "found";
  } catch (const BackendError& error) {
    EXPECT_EQ("no run-time compiler for THING: " + path(2) +
                  " (version 2.0) cannot compile an empty kernel for t_90: "
                  "BUILTIN_OPERATION_FAILURE: failed to open the builtins; install it",
              error.vendor_text);
  }
}

TEST_F(CompilerTest, BrokenBuiltinsAreNamed) {
  wheel(2, 90, false);
  std::ofstream(folder_ / fmt::format("cu2/lib/{}-builtins.so.2", stem_)) << "half a download";
  try {
    static_cast<void>(found());
    FAIL() << "found";
  } catch (const BackendError& error) {
    EXPECT_NE(std::string::npos, error.vendor_text.find(stem_ + "-builtins.so.2: file too short"))
        << error.vendor_text;
  }
}

TEST_F(CompilerTest, OneThatKnowsTheDeviceIsPreferred) {
  wheel(2, 80);
  wheel(1, 90);
  EXPECT_EQ(path(1), found().path);
  EXPECT_EQ(path(2), found(75).path);
  EXPECT_EQ(path(2), found(60).path);  // neither does: the newest, whose error lists what it offers
}

TEST_F(CompilerTest, OneThatHasKilledAProcessIsNotOpenedAgain) {
  wheel(2, 90);
  wheel(1, 90);
  EXPECT_EQ(path(1), found(90, {path(2)}).path);
  EXPECT_EQ(0, std::ranges::count(tried_, path(2)));
}

TEST_F(CompilerTest, ImagesAreKeptByContent) {
  wheel(2, 90);
  const std::string content = content_of(path(2));
  ASSERT_FALSE(content.empty());
  const ImageStore store(vendor_, content);
  EXPECT_FALSE(store.find("text", "t_90"));
  store.keep("text", "t_90", {.log = "a warning", .image = std::string("co\0de", 5)});
  const auto known = store.find("text", "t_90");
  ASSERT_TRUE(known);
  EXPECT_EQ("a warning", known->log);
  EXPECT_EQ(std::string("co\0de", 5), known->image);
  EXPECT_FALSE(store.find("text", "t_91"));
  EXPECT_FALSE(store.find("text ", "t_90"));
  EXPECT_FALSE(ImageStore(vendor_, content + "0").find("text", "t_90"));
  EXPECT_FALSE(ImageStore(vendor_, "").find("text", "t_90"));
  // The same wheel elsewhere is the same compiler; with other builtins it is another one.
  fs::copy(folder_ / "cu2", folder_ / "copy", fs::copy_options::recursive);
  const std::string copy = folder_ / "copy/lib" / (stem_ + ".so.2");
  EXPECT_EQ(content, content_of(copy));
  std::ofstream(folder_ / "copy/lib" / (stem_ + "-builtins.so.2"), std::ios::app) << "more";
  EXPECT_NE(content, content_of(copy));
}

TEST_F(CompilerTest, WhatItOpensItselfIsItsContentAndIsNotOpened) {
  wheel(2, 90);
  const std::string without = content_of(path(2));
  const fs::path engine = folder_ / "cu2/lib/libthingengine.so.3";
  std::ofstream(engine) << "no library: it cannot be opened";
  const std::string content = content_of(path(2));
  EXPECT_NE(without, content);
  fs::create_symlink(engine, folder_ / "cu2/lib/libthingengine.so");
  EXPECT_EQ(content, content_of(path(2)));
  std::ofstream(engine, std::ios::app) << ", of a later version";
  EXPECT_NE(content, content_of(path(2)));
  EXPECT_EQ(path(2), found().path);
}

TEST_F(CompilerTest, ImagesAreKeptByTheVariablesThatTheCompilerReads) {
  constexpr const char* kOptions = "THINGRTC_COMPILE_OPTIONS_APPEND";
  ::unsetenv(kOptions);
  const ImageStore store(vendor_, "content");
  store.keep("text", "t_90", {.log = "", .image = "code"});
  EXPECT_TRUE(store.find("text", "t_90"));
  ::setenv(kOptions, "-ffast-math", 1);
  EXPECT_FALSE(store.find("text", "t_90"));
  store.keep("text", "t_90", {.log = "", .image = "fast"});
  ::setenv(kOptions, "-O1", 1);
  EXPECT_FALSE(store.find("text", "t_90"));
  ::unsetenv(kOptions);
  ASSERT_TRUE(store.find("text", "t_90"));
  EXPECT_EQ("code", store.find("text", "t_90")->image);
  ::setenv("OTHER_COMPILE_OPTIONS", "-O1", 1);
  EXPECT_TRUE(store.find("text", "t_90")) << "another program's variable";
  ::unsetenv("OTHER_COMPILE_OPTIONS");
}

}  // namespace
}  // namespace halfmark::backends::shim
