// SPDX-License-Identifier: Apache-2.0
//
// The compiler as a child process, and the cache in front of it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "backends/host/child.hpp"
#include "backends/host/host_test.hpp"
#include "backends/host/image_cache.hpp"

namespace halfmark::backends::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnswer = "HM_KERNEL test(HM_GLOBAL int* out) { out[0] = HM_ANSWER; }\n";

// A compiler that appends a line to a file on every compilation, and then runs `instead`.
class CountingCompiler {
 public:
  explicit CountingCompiler(const fs::path& directory, const std::string& instead = ":")
      : script_(directory / "counting"), log_(directory / "log") {
    const char* real = std::getenv("HALFMARK_CXX");
    std::ofstream(script_) << "#!/bin/sh\ncase \"$*\" in *-shared*) echo run >> '" << log_.string()
                           << "'; " << instead << ";; esac\nexec "
                           << (real == nullptr ? "c++" : real) << " \"$@\"\n";
    fs::permissions(script_, fs::perms::owner_all);
  }
  [[nodiscard]] std::string command() const { return script_.string(); }
  [[nodiscard]] long runs() const {
    std::ifstream stream(log_);
    return std::count(std::istreambuf_iterator<char>(stream), {}, '\n');
  }

 private:
  fs::path script_, log_;
};

class CompileTest : public HostTest {
 protected:
  [[nodiscard]] static int answer(DriverDevice& device, const std::string& value) {
    const std::vector<Define> defines = {{"HM_ANSWER", value}};
    const auto buffer = device.allocate(4);
    const std::vector<DriverArgument> arguments = {buffer.get()};
    device.build(kAnswer, defines)->launch("test", {}, arguments);
    std::vector<int> read(1);
    download(*buffer, read);
    return read[0];
  }
};

TEST_F(CompileTest, SecondBuildDoesNotRunTheCompiler) {
  const TemporaryDirectory directory;
  const ScopedVariable cache("HALFMARK_CACHE_DIR", (directory.path() / "cache").string());
  const CountingCompiler compiler(directory.path());
  const ScopedVariable command("HALFMARK_CXX", compiler.command());
  EXPECT_EQ(answer(*open(), "41"), 41);
  EXPECT_EQ(compiler.runs(), 1);
  EXPECT_EQ(answer(*open(), "41"), 41);
  EXPECT_EQ(compiler.runs(), 1);
  EXPECT_EQ(answer(*open(), "42"), 42);
  EXPECT_EQ(compiler.runs(), 2);
}

// Ways to damage a cached image, given another kernel's entry and this kernel's entry.
using Damage = void (*)(const fs::path& other, const fs::path& entry);

void cut(const fs::path&, const fs::path& entry) {
  fs::resize_file(entry, fs::file_size(entry) / 2);
}
void alter(const fs::path&, const fs::path& entry) {
  // The constant that the kernel stores; no other check would notice the change.
  std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::size_t at = bytes.find("\x34\x12\x79\x05");
  ASSERT_NE(std::string::npos, at);
  file.seekp(static_cast<std::streamoff>(at)).put('\x35');
}
void swap(const fs::path& other, const fs::path& entry) {
  fs::copy_file(other, entry, fs::copy_options::overwrite_existing);
}
void make_pipe(const fs::path&, const fs::path& entry) {
  fs::remove(entry);
  ASSERT_EQ(0, ::mkfifo(entry.c_str(), 0600));
}
void make_folder(const fs::path&, const fs::path& entry) {
  fs::remove(entry);
  fs::create_directory(entry);
}

TEST_F(CompileTest, DamagedImageIsMadeAgain) {
  constexpr const char* kValue = "0x05791234";
  for (const Damage damage : {&cut, &alter, &swap, &make_pipe, &make_folder}) {
    const TemporaryDirectory directory;
    const ScopedVariable cache("HALFMARK_CACHE_DIR", (directory.path() / "cache").string());
    const CountingCompiler compiler(directory.path());
    const ScopedVariable command("HALFMARK_CXX", compiler.command());
    EXPECT_EQ(answer(*open(), "5"), 5);
    const fs::path other = *fs::directory_iterator(directory.path() / "cache/host");
    EXPECT_EQ(answer(*open(), kValue), 0x05791234);
    fs::path entry;
    for (const auto& each : fs::directory_iterator(directory.path() / "cache/host")) {
      EXPECT_EQ(each.path().extension(), ".so");
      if (each.path() != other) entry = each.path();
    }
    damage(other, entry);
    ::alarm(60);
    EXPECT_EQ(answer(*open(), kValue), 0x05791234);
    ::alarm(0);
    EXPECT_EQ(compiler.runs(), 3);
    EXPECT_EQ(answer(*open(), kValue), 0x05791234);
    EXPECT_EQ(compiler.runs(), 3);
  }
}

TEST_F(CompileTest, WhatBecomesOfAnImageInUseDoesNotMatter) {
  const TemporaryDirectory directory;
  const ScopedVariable cache("HALFMARK_CACHE_DIR", directory.path().string());
  const std::vector<Define> defines = {{"HM_ANSWER", "11"}};
  const auto device = open();
  const auto program = device->build(kAnswer, defines);
  for (const auto& each : fs::directory_iterator(directory.path() / "host"))
    fs::resize_file(each.path(), 0);
  const auto buffer = device->allocate(4);
  const std::vector<DriverArgument> arguments = {buffer.get()};
  program->launch("test", {}, arguments);
  std::vector<int> read(1);
  download(*buffer, read);
  EXPECT_EQ(11, read[0]);
}

TEST_F(CompileTest, ACacheThatIsDeletedIsMadeAgain) {
  const TemporaryDirectory directory;
  const ScopedVariable cache("HALFMARK_CACHE_DIR", (directory.path() / "cache").string());
  const auto device = open();
  EXPECT_EQ(answer(*device, "12"), 12);
  fs::remove_all(directory.path() / "cache");
  EXPECT_EQ(answer(*device, "13"), 13);
}

TEST_F(CompileTest, AnotherCompilerBehindTheSameWordsCompilesAnew) {
  const TemporaryDirectory directory;
  const ScopedVariable cache("HALFMARK_CACHE_DIR", (directory.path() / "cache").string());
  const CountingCompiler compiler(directory.path());
  const ScopedVariable command("HALFMARK_CXX", compiler.command());
  EXPECT_EQ(answer(*open(), "9"), 9);
  fs::last_write_time(compiler.command(),
                      fs::last_write_time(compiler.command()) + std::chrono::seconds(1));
  EXPECT_EQ(answer(*open(), "9"), 9);
  EXPECT_EQ(compiler.runs(), 2);
}

// Compilers interpret "-1" and "@1" as options.
TEST_F(CompileTest, NamesOfFoldersAreNoOptions) {
  const TemporaryDirectory directory;
  const fs::path before = fs::current_path();
  fs::current_path(directory.path());
  fs::create_directory("-2");
  fs::create_directory("@2");
  for (const std::string sign : {"-", "@"}) {
    const ScopedVariable cache("HALFMARK_CACHE_DIR", sign + "1");
    EXPECT_EQ(answer(*open(), "14"), 14) << sign;
    EXPECT_TRUE(fs::is_directory(directory.path() / (sign + "1") / "host"));
    const ScopedVariable unusable("HALFMARK_CACHE_DIR", "/proc/absent");
    const ScopedVariable temporary("TMPDIR", sign + "2");
    EXPECT_EQ(answer(*open(), "14"), 14) << sign;
  }
  fs::current_path(before);
}

TEST_F(CompileTest, OddCharactersInAFolderArePartsOfItsName) {
  const TemporaryDirectory directory;
  const ScopedVariable cache("HALFMARK_CACHE_DIR",
                             (directory.path() / "a b'\"$(exit 9);*%s\\\n,").string());
  EXPECT_EQ(answer(*open(), "15"), 15);
}

TEST_F(CompileTest, OnlyAnAbsolutePathCountsBesideTheChosenOne) {
  const TemporaryDirectory directory;
  const ScopedVariable none("HALFMARK_CACHE_DIR", "");
  const ScopedVariable relative("XDG_CACHE_HOME", "-1");
  const ScopedVariable home("HOME", directory.path().string());
  EXPECT_EQ(directory.path() / ".cache/halfmark/host", ImageCache().folder());
}

TEST_F(CompileTest, DirectoryOfOthersIsNotUsed) {
  const TemporaryDirectory directory;
  fs::create_directories(directory.path() / "host");
  fs::permissions(directory.path() / "host", fs::perms::all);
  const ScopedVariable variable("HALFMARK_CACHE_DIR", directory.path().string());
  fs::path used;
  {
    const ImageCache cache;
    used = cache.folder();
    EXPECT_NE(used, directory.path() / "host");
    EXPECT_TRUE(fs::is_directory(used));
    EXPECT_EQ(answer(*open(), "6"), 6);
  }
  EXPECT_FALSE(fs::exists(used));
}

TEST_F(CompileTest, CompileErrorShowsTheLogWithTheLine) {
  const std::string log = error_of([&] {
    (void)open()->build("\n\nHM_KERNEL test(HM_GLOBAL int* out) { out[0] = nonsense; }\n", {});
  });
  EXPECT_NE(log.find("kernel.hk:3"), std::string::npos) << log;
  EXPECT_NE(log.find("nonsense"), std::string::npos) << log;
}

TEST_F(CompileTest, ForeignArgumentTypesDoNotBuild) {
  EXPECT_NE(error_of([&] { (void)open()->build("HM_KERNEL test(double d) { (void)d; }\n", {}); }),
            "");
}

TEST_F(CompileTest, MissingCompilerIsOneLineWithTheRemedy) {
  const ScopedVariable command("HALFMARK_CXX", "/nonexistent/c++");
  const auto driver = make_driver();
  EXPECT_EQ(driver->status(),
            "HALFMARK_CXX='/nonexistent/c++' does not run; install g++ or clang++, or set "
            "HALFMARK_CXX to the command of a "
            "C++ compiler");
  EXPECT_TRUE(driver->devices().empty());
  EXPECT_EQ(error_of([&] { (void)driver->open(0, nlohmann::json::object()); }), driver->status());
}

TEST_F(CompileTest, AProgramThatIsNoCompilerIsToldSo) {
  const ScopedVariable command("HALFMARK_CXX", "/bin/true");
  EXPECT_EQ(make_driver()->status(),
            "HALFMARK_CXX='/bin/true' is no C++ compiler; install g++ or clang++, or set "
            "HALFMARK_CXX to the command of a C++ compiler");
}

TEST_F(CompileTest, CommandMayHaveArguments) {
  const char* real = std::getenv("HALFMARK_CXX");
  const ScopedVariable command("HALFMARK_CXX",
                               std::string("env ") + (real == nullptr ? "c++" : real));
  EXPECT_EQ(answer(*open(), "7"), 7);
}

TEST_F(CompileTest, ImageIsALibrary) {
  const std::vector<Define> defines = {{"HM_ANSWER", "8"}};
  const auto program = open()->build(kAnswer, defines);
  ASSERT_GT(program->image().size(), 4u);
  EXPECT_EQ(std::memcmp(program->image().data(), "\177ELF", 4), 0);
}

TEST_F(CompileTest, ChildReportsStatusSignalAndOutput) {
  const std::vector<std::string> exits = {"sh", "-c", "echo out; echo err >&2; exit 3"};
  EXPECT_EQ(run_child(exits).exit_status, 3);
  EXPECT_EQ(run_child(exits).output, "out\nerr\n");
  const std::vector<std::string> killed = {"sh", "-c", "kill -9 $$"};
  EXPECT_EQ(run_child(killed).exit_status, 128 + 9);
  const std::vector<std::string> absent = {"/nonexistent/program"};
  EXPECT_EQ(fault_of([&] { (void)run_child(absent); }),
            "cannot run '/nonexistent/program': No such file or directory");
}

TEST_F(CompileTest, ChildSeesTheSettings) {
  const ScopedVariable kept("HM_TEST_KEPT", "1");
  const ScopedVariable changed("HM_TEST_CHANGED", "2");
  const ScopedVariable removed("HM_TEST_REMOVED", "3");
  const std::vector<std::string> argv = {
      "sh", "-c", "echo $HM_TEST_KEPT/$HM_TEST_CHANGED/${HM_TEST_REMOVED-none}/$LC_ALL"};
  const std::vector<std::string> settings = {"HM_TEST_CHANGED=4", "HM_TEST_REMOVED"};
  EXPECT_EQ(run_child(argv, settings).output, "1/4/none/C\n");
}

}  // namespace
}  // namespace halfmark::backends::host
