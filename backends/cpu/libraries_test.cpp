// SPDX-License-Identifier: Apache-2.0
//
// Libraries that are missing, half installed, of another version, or that do harm: each is one line
// that names the file and the remedy, and nothing else suffers. The fixtures are libraries with one
// mistake each.
#include "backends/cpu/libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/cpu/blas.hpp"
#include "backends/cpu/dnn.hpp"
#include "backends/cpu/trial.hpp"
#include "backends/cpu/trial_product.hpp"
#include "backends/host/float_state.hpp"

namespace halfmark::backends::cpu {
namespace {

namespace fs = std::filesystem;
using host::FloatControl;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kBlas = "HALFMARK_CPU_OPENBLAS";

std::string fixture(const std::string& name) {
  return std::string(HM_FIXTURE_FOLDER) + "/cpu_fixture_" + name + ".so";
}

Library found_at(const LibraryRow& row, const std::string& file) {
  ::setenv(row.where->variable, file.c_str(), 1);
  Library library = find_library(row).description;
  ::unsetenv(row.where->variable);
  return library;
}

std::string reason_at(const LibraryRow& row, const std::string& file) {
  const Library library = found_at(row, file);
  EXPECT_FALSE(library.usable) << library.evidence;
  EXPECT_EQ(std::string::npos, library.evidence.find('\n')) << library.evidence;
  EXPECT_THAT(library.evidence, HasSubstr("; install "));
  return library.evidence;
}

TEST(Libraries, AMissingFileIsNamedWithTheRemedy) {
  for (const LibraryRow& row : library_rows()) {
    EXPECT_THAT(reason_at(row, "/nonexistent/lib.so"),
                AllOf(HasSubstr("/nonexistent/lib.so: "), HasSubstr(row.where->variable)));
    EXPECT_THAT(reason_at(row, "libhalfmark-no-such.so.7"), HasSubstr("libhalfmark-no-such.so.7"));
  }
}

TEST(Libraries, AHalfInstalledFileEndsOnlyTheCopy) {
  const fs::path part = fs::temp_directory_path() / ("halfmark-part-" + std::to_string(getpid()));
  fs::copy_file(fixture("plain"), part, fs::copy_options::overwrite_existing);
  for (const std::uintmax_t bytes : {fs::file_size(part) / 2, std::uintmax_t{100}}) {
    fs::resize_file(part, bytes);
    EXPECT_THAT(reason_at(blas_row(), part), HasSubstr(part.string()));
  }
  fs::remove(part);
}

TEST(Libraries, AnotherLibraryOrVersionIsCalledThat) {
  EXPECT_THAT(reason_at(blas_row(), fixture("lacks")), HasSubstr("lacks openblas_set_num_threads"));
  EXPECT_THAT(reason_at(dnn_row(), fixture("plain")), HasSubstr("lacks dnnl_version"));
  EXPECT_THAT(reason_at(dnn_row(), fixture("dnn")), HasSubstr("is oneDNN 4.1.0"));
  EXPECT_THAT(reason_at(blas_row(), fixture("wide")), HasSubstr("64-bit integers"));
  EXPECT_THAT(reason_at(blas_row(), fixture("wrong")), HasSubstr("computed 2 times 3 as 5"));
  EXPECT_THAT(reason_at(blas_row(), fixture("aborts")), HasSubstr("signal 6"));
}

TEST(Libraries, OneForAnotherProcessorIsCalledThat) {
  EXPECT_THAT(reason_at(blas_row(), fixture("newer")),
              HasSubstr("built for another processor than this one"));
  const fs::path foreign =
      fs::temp_directory_path() / ("halfmark-foreign-" + std::to_string(getpid()));
  fs::copy_file(fixture("plain"), foreign, fs::copy_options::overwrite_existing);
  std::fstream file(foreign, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(18).put('\x08').put('\0');  // e_machine of ELF: EM_MIPS
  file.close();
  EXPECT_THAT(reason_at(blas_row(), foreign),
              HasSubstr("is made for another processor (ELF machine 8, here "));
  fs::remove(foreign);
}

TEST(Libraries, AUsableOneHasVersionPathAndHash) {
  const Library library = found_at(blas_row(), fixture("plain"));
  EXPECT_TRUE(library.usable) << library.evidence;
  EXPECT_EQ("9.9.9 (Fixture)", library.version);
  EXPECT_THAT(library.evidence, testing::StartsWith(fixture("plain") + ", hash "));
  EXPECT_NE(library.evidence, found_at(blas_row(), fixture("prints")).evidence);
}

TEST(Libraries, WhatOneDoesToItsProcessIsNamed) {
  EXPECT_THAT(found_at(blas_row(), fixture("prints")).evidence,
              HasSubstr("; it prints 'a fixture greets you'"));
  EXPECT_THAT(found_at(blas_row(), fixture("threads")).evidence,
              testing::ContainsRegex("; it leaves [0-9]+ threads on [0-9]+ processors"));
  EXPECT_THAT(found_at(blas_row(), fixture("plain")).evidence, testing::Not(HasSubstr("; ")));
#if defined(__x86_64__)
  EXPECT_THAT(found_at(blas_row(), fixture("flushes")).evidence,
              HasSubstr("; it leaves the floating-point control word at 9fc0 instead of 1f80"));
#endif
}

// found_libraries() looks at the variable once.
TEST(Libraries, TheFloatingPointStateIsRestored) {
  ::setenv(kBlas, fixture("flushes").c_str(), 1);
  TrialProduct product;
  product.call.library = "OpenBLAS";
  const FloatControl before = FloatControl::current();
  const OperatorOutcome outcome = Libraries(1).run(product.call);
  EXPECT_TRUE(outcome.supported) << outcome.answer;
  EXPECT_EQ(before.word, FloatControl::current().word);
  ::unsetenv(kBlas);
}

using std::chrono::milliseconds;

TEST(Trial, AnswersOrSaysHowTheCopyEnded) {
  EXPECT_EQ("well", try_in_copy([] { return "well"; }, milliseconds(5000)).answer);
  const auto reason = [](const std::function<std::string()>& job) -> std::string {
    try {
      return try_in_copy(job, milliseconds(500)).answer;
    } catch (const BackendError& error) {
      return error.vendor_text;
    }
  };
  EXPECT_THAT(reason([]() -> std::string { throw BackendError("x", 0, "no"); }), "no");
  EXPECT_THAT(reason([]() -> std::string { ::_exit(3); }), HasSubstr("exit status 3"));
  EXPECT_THAT(reason([]() -> std::string { ::_exit(0); }), HasSubstr("exit status 0"));
  EXPECT_THAT(reason([]() -> std::string { ::abort(); }), HasSubstr("signal 6"));
  EXPECT_THAT(reason([]() -> std::string {
                ::pause();
                return "";
              }),
              HasSubstr("without an answer"));
}

}  // namespace
}  // namespace halfmark::backends::cpu
