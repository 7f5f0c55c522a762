// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/library.hpp"

#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/shim/operator_library.hpp"
#include "backends/shim/python_folders.hpp"

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

#if defined(__aarch64__)
constexpr int kOwnMachine = EM_AARCH64;
#else
constexpr int kOwnMachine = EM_X86_64;
#endif

// A folder with two candidate files for the library.
class LibraryTest : public testing::Test {
 protected:
  LibraryTest()
      : folder_(fs::temp_directory_path() / ("halfmark-library-" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "v1" / "lib");
    for (const char* name : {"libthing.so.2", "libthing.so.1"})
      std::ofstream(folder_ / "v1" / "lib" / name) << "text";
    ::unsetenv("HM_TEST_LIBRARY");
    ::setenv("HM_TEST_HOME", folder_.c_str(), 1);
  }
  ~LibraryTest() override { fs::remove_all(folder_); }

  [[nodiscard]] Names found(const char* variable_value = nullptr) const {
    if (variable_value != nullptr) ::setenv("HM_TEST_LIBRARY", variable_value, 1);
    static constexpr const char* kNames[] = {"libthing.so.2", "libthing.so.1", "libthing.so.0"};
    static constexpr const char* kFolders[] = {"$HM_TEST_NOT_SET/lib", "$HM_TEST_HOME/*/lib"};
    return candidates({.variable = "HM_TEST_LIBRARY",
                       .names = kNames,
                       .folders = kFolders,
                       .symbols = {},
                       .remedy = ""});
  }

  fs::path folder_;
};

TEST_F(LibraryTest, EachNameIsLeftToTheLoaderThenLookedForInFolders) {
  const std::string lib = folder_ / "v1" / "lib/";
  EXPECT_EQ((Names{"libthing.so.2", lib + "libthing.so.2", "libthing.so.1", lib + "libthing.so.1",
                   "libthing.so.0"}),
            found());
}

TEST_F(LibraryTest, AVariableIsTheOnlyPlace) {
  EXPECT_EQ(Names{"/some/file.so"}, found("/some/file.so"));
  const std::string lib = folder_ / "v1" / "lib";
  EXPECT_EQ((Names{lib + "/libthing.so.2", lib + "/libthing.so.1"}), found(lib.c_str()));
}

TEST_F(LibraryTest, AFolderThatSomebodyNamesIsNoPattern) {
  const fs::path odd = folder_ / "[v]*?\\";
  fs::create_directories(odd / "lib");
  std::ofstream(odd / "lib" / "libthing.so.1") << "text";
  const std::string lib = odd / "lib";
  EXPECT_EQ(Names{lib + "/libthing.so.1"}, found(lib.c_str()));
  ::unsetenv("HM_TEST_LIBRARY");
  ::setenv("HM_TEST_HOME", odd.c_str(), 1);
  fs::create_directories(odd / "v2");
  fs::rename(odd / "lib", odd / "v2" / "lib");
  EXPECT_EQ(
      (Names{"libthing.so.2", "libthing.so.1", odd / "v2/lib/libthing.so.1", "libthing.so.0"}),
      found());
}

// Where Python lives elsewhere: the prefix of each python3 on PATH, and of the file
// that it links to.
TEST_F(LibraryTest, PythonsOnThePathLeadToTheirPackages) {
  for (const char* prefix : {"env", "base"}) {
    fs::create_directories(folder_ / prefix / "bin");
    const fs::path lib = folder_ / prefix / "lib/python3.11/site-packages/nvidia/thing/lib";
    fs::create_directories(lib);
    std::ofstream(lib / "libthing.so.1") << "text";
  }
  std::ofstream(folder_ / "base/bin/python3.11") << "a program";
  fs::create_symlink(folder_ / "base/bin/python3.11", folder_ / "env/bin/python3");
  const std::string before = ::getenv("PATH");
  ::setenv("PATH", ("relative:/absent:" + (folder_ / "env/bin").string()).c_str(), 1);
  static constexpr const char* kNames[] = {"libthing.so.1"};
  static constexpr const char* kFolders[] = {HM_PYTHON_FOLDERS("nvidia/*/lib")};
  const Names names = candidates({.variable = "HM_TEST_LIBRARY",
                                  .names = kNames,
                                  .folders = kFolders,
                                  .symbols = {},
                                  .remedy = ""});
  ::setenv("PATH", before.c_str(), 1);
  const std::string rest = "/lib/python3.11/site-packages/nvidia/thing/lib/libthing.so.1";
  for (const char* prefix : {"env", "base"})
    EXPECT_EQ(1, std::ranges::count(names, (folder_ / prefix).string() + rest)) << prefix;
}

TEST_F(LibraryTest, AbsentIsNoErrorButBrokenIs) {
  EXPECT_FALSE(OpenLibrary::open("libhalfmark-no-such.so.1"));
  EXPECT_THROW((void)OpenLibrary::open(folder_ / "v1/lib/libthing.so.1"), BackendError);
}

// For a file that a user has named, the loader's "No such file" would be misleading.
TEST_F(LibraryTest, AFileForAnotherProcessorIsCalledThat) {
  const fs::path foreign = folder_ / "libforeign.so";
  fs::copy_file(OpenLibrary::open("libm.so.6").path(), foreign);
  EXPECT_TRUE(OpenLibrary::open(foreign));
  const fs::path other = folder_ / "libother.so";
  fs::copy_file(foreign, other);
  std::fstream file(other, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offsetof(ElfW(Ehdr), e_machine)).put('\x08').put('\0');  // EM_MIPS
  file.close();
  try {
    (void)OpenLibrary::open(other);
    FAIL() << "opened";
  } catch (const BackendError& error) {
    EXPECT_EQ(other.string() + " is made for another processor (ELF machine 8, here " +
                  std::to_string(kOwnMachine) + ")",
              error.vendor_text);
  }
}

TEST_F(LibraryTest, ALinkToItselfIsAFileThatDoesNotOpen) {
  fs::create_symlink(folder_ / "loop", folder_ / "loop");
  const std::string loop = folder_ / "loop";
  EXPECT_EQ(Names{loop}, found(loop.c_str()));
  EXPECT_THROW((void)OpenLibrary::open(loop), BackendError);
}

TEST_F(LibraryTest, AStubIsNotEvenLoaded) {
  fs::create_directory(folder_ / "stubs");
  const fs::path stub = folder_ / "stubs" / "libm.so.6";
  fs::create_symlink(OpenLibrary::open("libm.so.6").path(), stub);
  EXPECT_THROW((void)OpenLibrary::open(stub), BackendError);
}

TEST_F(LibraryTest, RolesTakeTheFirstSymbolThatExists) {
  struct {
    double (*cosine)(double);
    double (*absent)(double);
  } calls{};
  const OpenLibrary library = OpenLibrary::open("libm.so.6");
  ASSERT_TRUE(library);
  const Symbol alternatives[] = {{"no_such_cosine", 0, true},
                                 {"cos", 0, true},
                                 {"sin", 0, true},
                                 {"no_such_call", sizeof(void*), false}};
  library.bind(alternatives, &calls);
  EXPECT_EQ(1.0, calls.cosine(0.0));
  EXPECT_EQ(nullptr, calls.absent);
  const Symbol missing[] = {{"no_such_call", 0, true}};
  try {
    library.bind(missing, &calls);
    FAIL() << "bound";
  } catch (const BackendError& error) {
    EXPECT_NE(std::string::npos, error.vendor_text.find("libm.so.6 lacks no_such_call"));
  }
}

int handles = 0;

Status make_handle(void** handle) {
  *handle = &handles;
  ++handles;
  return 0;
}
Status refuse_handle(void** handle) {
  *handle = &handles;  // an arbitrary non-null pointer
  return 1;
}
Status end_handle(void* handle) {
  EXPECT_EQ(&handles, handle);
  --handles;
  return 0;
}

// An owner whose constructor throws after it has the handle.
struct Owner {
  Owner() {
    EXPECT_EQ(0, handle.create(make_handle, end_handle));
    EXPECT_EQ(1, handles);
    throw BackendError("test", 0, "too late");
  }
  LibraryHandle handle;
};

TEST(LibraryHandle, EndsWithItsOwner) {
  EXPECT_THROW(Owner(), BackendError);
  EXPECT_EQ(0, handles);
  {
    LibraryHandle refused;
    EXPECT_EQ(1, refused.create(refuse_handle, end_handle));
    EXPECT_EQ(nullptr, refused.raw());
  }
  EXPECT_EQ(0, handles);
}

}  // namespace
}  // namespace halfmark::backends::shim
