// SPDX-License-Identifier: Apache-2.0
//
// Libraries that are missing, half installed, of another version, or that do harm: each is one line
// that names the file and the remedy, and nothing else suffers. The fixtures are libraries with one
// mistake each.
#include "backends/cpu/libraries.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

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

LibraryRow row_of(const std::string& name) {
  for (const LibraryRow& row : library_rows()) {
    if (row.name == name) return row;
  }
  throw std::logic_error("there is no row " + name);
}
LibraryRow blas_row() { return row_of("OpenBLAS"); }

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
  EXPECT_THAT(reason_at(dnn_row(), fixture("dnn_sycl")),
              AllOf(HasSubstr("dnnl_engine_create: invalid_arguments"),
                    HasSubstr("needs an OpenCL driver")));
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

TEST(Libraries, EachIsStartedByItsOwnCalls) {
  ::setenv("MKL_INTERFACE_LAYER", "ILP64", 1);
  EXPECT_EQ("2099.7", found_at(row_of("MKL"), fixture("mkl")).version);
  ::unsetenv("MKL_INTERFACE_LAYER");
  EXPECT_EQ("9.9.9 (fixture)", found_at(row_of("BLIS"), fixture("blis")).version);
  EXPECT_THAT(reason_at(row_of("BLIS"), fixture("blis_wide")), HasSubstr("64-bit integers"));
  EXPECT_THAT(reason_at(row_of("MKL"), fixture("plain")), HasSubstr("lacks MKL_"));
  EXPECT_THAT(reason_at(row_of("BLIS"), fixture("mkl")), HasSubstr("lacks bli_"));
}

TEST(Libraries, EachSaysWhatItsDocumentsLeaveOpen) {
  for (const LibraryRow& row : library_rows()) {
    for (const char* capability : {"fp32.subnormals", "fp32.signed_zero"}) {
      const auto own = std::ranges::find(row.promises, capability, &Promise::capability);
      ASSERT_TRUE(own != row.promises.end()) << row.name << " " << capability;
      EXPECT_FALSE(own->clause.empty()) << row.name;
    }
  }
}

// MKL under names that no loader finds, whatever is installed here.
const LibraryRow& row_off_the_path() {
  static constexpr const char* kNames[] = {"libof_an_environment.so.3",
                                           "libof_an_environment.so.2"};
  static const shim::Library kWhere = [] {
    shim::Library where = *row_of("MKL").where;
    where.names = kNames;
    return where;
  }();
  static const LibraryRow kRow = [] {
    LibraryRow row = row_of("MKL");
    row.where = &kWhere;
    return row;
  }();
  return kRow;
}

// A folder with a copy of a fixture, in the layout of an environment.
class Environment : public testing::Test {
 protected:
  Environment()
      : folder_(fs::temp_directory_path() / ("halfmark-environment-" + std::to_string(getpid()))) {
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX", "MKLROOT", "DNNLROOT"})
      ::unsetenv(variable);
  }
  ~Environment() override {
    ::unsetenv("VIRTUAL_ENV");
    ::unsetenv("CONDA_PREFIX");
    fs::remove_all(folder_);
  }

  [[nodiscard]] fs::path install(const std::string& name, const fs::path& place) const {
    fs::create_directories(folder_ / place);
    fs::copy_file(fixture(name), folder_ / place / "libof_an_environment.so.3");
    return folder_ / place / "libof_an_environment.so.3";
  }

  const fs::path folder_;
};

// Wheels put libraries into an environment's lib, where no loader looks.
TEST_F(Environment, LibrariesOfOneAreFoundOffTheLoadersPath) {
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const fs::path file = install("mkl", fs::path(variable) / "lib");
    ::setenv(variable, (folder_ / variable).c_str(), 1);
    const Library library = find_library(row_off_the_path()).description;
    ::unsetenv(variable);
    EXPECT_TRUE(library.usable) << library.evidence;
    EXPECT_THAT(library.evidence, testing::StartsWith(file.string() + ", hash "));
  }
}

TEST_F(Environment, PackagesOfThePythonOnThePathAreSearched) {
  const fs::path file = install("mkl", "lib/python3.11/site-packages/package/lib");
  fs::create_directories(folder_ / "bin");
  std::ofstream(folder_ / "bin/python3") << "a program";
  const std::string before = ::getenv("PATH");
  ::setenv("PATH", (folder_ / "bin").c_str(), 1);
  const Library library = find_library(row_off_the_path()).description;
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_TRUE(library.usable) << library.evidence;
  EXPECT_THAT(library.evidence, testing::StartsWith(file.string() + ", hash "));
}

TEST_F(Environment, AFileThatFailsIsNotTriedByItsOtherNames) {
  const fs::path file = install("aborts", "lib");
  fs::create_symlink(file, folder_ / "lib/libof_an_environment.so.2");
  ::setenv("VIRTUAL_ENV", folder_.c_str(), 1);
  const std::string evidence = find_library(row_off_the_path()).description.evidence;
  EXPECT_THAT(evidence, HasSubstr(file.string()));
  EXPECT_THAT(evidence, testing::Not(HasSubstr("libof_an_environment.so.2")));
}

// Half a minute for the first load from a cold disk.
TEST(Libraries, ASlowOneHasAsLongAsADevicesLibrary) {
  EXPECT_EQ(std::chrono::seconds(55), trial_limit());
  ::setenv("HALFMARK_SEARCH_SECONDS", "1", 1);
  const std::string reason = reason_at(blas_row(), fixture("late"));
  ::unsetenv("HALFMARK_SEARCH_SECONDS");
  EXPECT_THAT(reason, HasSubstr("1 s passed without an answer"));
  EXPECT_TRUE(found_at(blas_row(), fixture("late")).usable);
}

TEST(Libraries, WhatOneSaysBeforeItEndsItsProcessIsInTheLine) {
  EXPECT_THAT(
      reason_at(blas_row(), fixture("says_why")),
      HasSubstr("exit status 2; it prints 'FATAL ERROR: cannot load libfixture_thread.so'"));
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

// found_libraries() looks at the variables once.
void find_fixtures() {
  ::setenv(kBlas, fixture("flushes").c_str(), 1);
  ::setenv("HALFMARK_CPU_MKL", fixture("mkl").c_str(), 1);
  ::setenv("HALFMARK_CPU_BLIS", fixture("blis").c_str(), 1);
  EXPECT_EQ(library_rows().size(), found_libraries().size());
  for (const char* variable : {kBlas, "HALFMARK_CPU_MKL", "HALFMARK_CPU_BLIS"})
    ::unsetenv(variable);
}

OperatorOutcome product_by(const char* library, TrialProduct& product) {
  find_fixtures();
  product.call.library = library;
  return Libraries(1).run(product.call);
}

TEST(Libraries, TheFloatingPointStateIsRestored) {
  TrialProduct product;
  const FloatControl before = FloatControl::current();
  const OperatorOutcome outcome = product_by("OpenBLAS", product);
  EXPECT_TRUE(outcome.supported) << outcome.answer;
  EXPECT_EQ(before.word, FloatControl::current().word);
}

// The first makes symbols of the second global, with a wrong sum behind them; in a copy, so that no
// other test finds them.
TEST(Libraries, OneThatIsCalledAfterAnotherStillCallsItself) {
  find_fixtures();
  const auto products = [] {
    std::string results;
    for (const char* library : {"MKL", "BLIS"}) {
      TrialProduct product;
      const OperatorOutcome outcome = product_by(library, product);
      results += fmt::format("{} {} {};", library, product.result(), outcome.answer);
    }
    return results;
  };
  EXPECT_EQ("MKL 6 ;BLIS 6 ;", try_in_copy(products, std::chrono::seconds(20)).answer);
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
