// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/fleet/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "fleet/rollup_of.hpp"
#include "reference/text/visible.hpp"
#include "reports/digest.hpp"
#include "reports/files.hpp"
#include "reports/plain_plural.hpp"
#include "reports/scorecard.hpp"
#include "reports/scorecard_json.hpp"
#include "reports/validate.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/runner/journal.hpp"
#include "suites/runner/run.hpp"
#include "tools/halfmark/outputs.hpp"
#include "tools/halfmark/record.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;

// The files of one device's folder.
struct DeviceFolder {
  bool rollup = false, card = false, journal = false;
};

struct Found {
  std::map<fs::path, DeviceFolder> devices;
  std::set<fs::path> agents, collected;
  std::vector<fs::path> drafts;  // what a writer left that was killed before its rename
};

bool is_draft(const std::string& name) {
  for (const char* file : {"rollup.json.", "scorecard.json.", "agent.json."}) {
    if (name.starts_with(file) && name.size() == std::string(file).size() + 6) return true;
  }
  return false;
}

void sort_in(const fs::path& path, Found& found) {
  const std::string name = path.filename().string();
  if (name == kRollupFile) {
    found.devices[path.parent_path()].rollup = true;
  } else if (name == "scorecard.json") {
    found.devices[path.parent_path()].card = true;
  } else if (name == "journal.jsonl") {
    found.devices[path.parent_path()].journal = true;
  } else if (name == kAgentFile) {
    found.agents.insert(path);
  } else if (name.ends_with(fleet::kCollectedSuffix)) {
    found.collected.insert(path);
  } else if (is_draft(name)) {
    found.drafts.push_back(path);
  }
}

void find_below(const fs::path& folder, Found& found) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw suites::UsageError(
        fmt::format("{} is no folder; name one that `halfmark fleet run` or "
                    "`halfmark run --out` wrote to",
                    text::visible_line(folder.string())));
  // Canonical, so that a folder that is named twice is read once.
  fs::recursive_directory_iterator at(fs::canonical(folder, error), error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code unknown;
    if (at->is_regular_file(unknown)) sort_in(at->path(), found);
  }
  if (error)
    throw suites::EnvironmentError(fmt::format("cannot list {}: {}; no answer is made of a part",
                                               text::visible_line(folder.string()),
                                               error.message()));
}

// Folders may have any name, also one that is no text.
std::string visible_name(const fs::path& folder) {
  return text::visible_line(folder.filename().string(), text::kMostOfMessage);
}

// Cards that no agent wrote: DIR/<node>/<device>/scorecard.json, as the README proposes.
fleet::Origin origin_from_path(const fs::path& folder) {
  const std::string node = visible_name(folder.parent_path());
  return {.run = "runs without an agent", .task = "-", .node = node.empty() ? "unknown" : node};
}

// RUN/NODE.TASK/TIER-sSEED/DEVICE, and the agent's record lies in RUN/NODE.TASK.
fs::path agent_file_of(const fs::path& folder) {
  return folder.parent_path().parent_path() / kAgentFile;
}

fleet::AgentRecord agent_of(const fs::path& folder) {
  return fleet::parse_agent(reports::read_file(agent_file_of(folder), fleet::kMostRollupBytes));
}

fleet::Origin origin_of(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::is_regular_file(agent_file_of(folder), unknown)) return origin_from_path(folder);
  return agent_of(folder).origin;
}

fleet::Rollup from_card(const fs::path& folder, const fleet::Origin& origin) {
  const nlohmann::json card = reports::read_card_json(folder);
  if (card.value("digest", nlohmann::json()) != reports::digest_of(card))
    throw fleet::RollupError("its content does not fit its 'digest'");
  return fleet::rollup_of(card, origin);
}

fleet::Rollup from_journal(const fs::path& folder, const fleet::Origin& origin) {
  const fs::path file = folder / "journal.jsonl";
  const suites::DeviceRun run = suites::from_journal(suites::read_journal(file), file);
  if (run.device.selector.empty())
    throw fleet::RollupError("its journal ends before it names the device");
  return fleet::rollup_of(reports::to_json(reports::tally(record_of(run, {}))), origin);
}

enum class Source { kRollup, kCard, kJournal, kNone };

// One device's folder as it is read; notes name what is damaged on the way.
struct Reading {
  Source source = Source::kNone;
  fleet::Rollup rollup;
  std::vector<std::string> notes;
};

template <typename Read>
bool try_source(const fs::path& file, Source source, Read read, Reading& reading) {
  try {
    reading.rollup = read();
    reading.source = source;
    return true;
  } catch (const std::exception& error) {
    reading.notes.push_back(fmt::format("{} cannot be used: {}", text::visible_line(file.string()),
                                        text::visible_line(error.what())));
    return false;
  }
}

Reading read_folder(const fs::path& folder, const DeviceFolder& files) {
  Reading reading;
  const auto rollup = [&] {
    return fleet::parse_rollup(reports::read_file(folder / kRollupFile, fleet::kMostRollupBytes));
  };
  const auto card = [&] { return from_card(folder, origin_of(folder)); };
  const auto journal = [&] { return from_journal(folder, origin_of(folder)); };
  if (files.rollup && try_source(folder / kRollupFile, Source::kRollup, rollup, reading))
    return reading;
  if (files.card && try_source(folder / "scorecard.json", Source::kCard, card, reading))
    return reading;
  if (files.journal && try_source(folder / "journal.jsonl", Source::kJournal, journal, reading))
    return reading;
  return reading;
}

// An answer that is there and cannot be read is an error of that device, not nothing.
fleet::Rollup unreadable(const fs::path& folder, const std::string& why) {
  fleet::Origin origin = origin_from_path(folder);
  fleet::DeviceIdentity device;
  device.selector = visible_name(folder);
  try {
    const fleet::AgentRecord agent = agent_of(folder);
    origin = agent.origin;
    for (const std::string& selector : agent.devices) {
      if (folder_name(selector) == folder.filename()) device.selector = selector;
    }
  } catch (const std::exception&) {  // the path is all that is known
  }
  return fleet::rollup_of_error(origin, device, why);
}

class Gatherer {
 public:
  Gatherer(fleet::Merge& merge, Gathered& gathered, fleet::Collector* collector)
      : merge_(merge), gathered_(gathered), collector_(collector) {}

  // The only function that several threads may call at a time. It throws nothing, since an
  // exception would end the program with them.
  void take(const fs::path& folder, const DeviceFolder& files) {
    try {
      take_device(folder, files);
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      note_file(folder, error.what());
    }
  }

  void take_agent(const fs::path& file) {
    try {
      add(fleet::parse_agent(reports::read_file(file, fleet::kMostRollupBytes)));
    } catch (const std::exception& error) {
      note_file(file, error.what());
    }
  }

  void take_collected(const fs::path& file) {
    std::ifstream in(file);
    fleet::read_collected(in,
                          {.rollup =
                               [this](const fleet::Rollup& rollup) {
                                 add(rollup);
                                 ++gathered_.rollups;
                               },
                           .agent = [this](const fleet::AgentRecord& agent) { add(agent); },
                           .unusable = [&](const std::string& what) { note_file(file, what); }});
  }

 private:
  static constexpr int kMostNotes = 100;

  void take_device(const fs::path& folder, const DeviceFolder& files) {
    const Reading reading = read_folder(folder, files);
    if (reading.source != Source::kNone) {
      add(reading.rollup);
    } else if (!reading.notes.empty()) {
      add(unreadable(folder, reading.notes.front()));
    }
    const std::lock_guard lock(mutex_);
    count(reading.source);
    for (const std::string& what : reading.notes) note(what);
  }

  void add(const fleet::Rollup& rollup) {
    merge_.add(rollup);
    if (collector_ == nullptr) return;
    const std::lock_guard lock(mutex_);
    collector_->add(rollup);
  }
  void add(const fleet::AgentRecord& agent) {
    merge_.add(agent);
    ++gathered_.agents;
    if (collector_ != nullptr) collector_->add(agent);
  }

  void note_file(const fs::path& file, const std::string& what) {
    note(fmt::format("{} cannot be used: {}", text::visible_line(file.string()),
                     text::visible_line(what)));
  }
  void note(const std::string& what) {
    ++gathered_.unusable;
    if (++notes_ <= kMostNotes) merge_.note(what);
    if (notes_ == kMostNotes + 1) merge_.note("and more files cannot be used");
  }

  void count(Source source) {
    if (source == Source::kRollup) ++gathered_.rollups;
    if (source == Source::kCard) ++gathered_.cards;
    if (source == Source::kJournal) ++gathered_.journals;
  }

  fleet::Merge& merge_;
  Gathered& gathered_;
  fleet::Collector* collector_;
  std::mutex mutex_;
  int notes_ = 0;
};

void take_devices(const std::map<fs::path, DeviceFolder>& devices, Gatherer& gatherer) {
  std::vector<std::pair<const fs::path*, const DeviceFolder*>> work;
  for (const auto& [folder, files] : devices) work.emplace_back(&folder, &files);
  std::atomic<std::size_t> next = 0;
  const auto take_some = [&] {
    for (std::size_t i = next++; i < work.size(); i = next++)
      gatherer.take(*work[i].first, *work[i].second);
  };
  const unsigned helpers = std::clamp(std::thread::hardware_concurrency(), 1U, 16U) - 1;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < helpers && i + 1 < work.size(); ++i) threads.emplace_back(take_some);
  take_some();
}

}  // namespace

fleet::Rollup rollup_of_folder(const fs::path& folder, const fleet::Origin& origin) {
  std::error_code unknown;
  return fs::is_regular_file(folder / "scorecard.json", unknown) ? from_card(folder, origin)
                                                                 : from_journal(folder, origin);
}

Gathered gather(const std::vector<fs::path>& folders, fleet::Merge& merge,
                fleet::Collector* collector) {
  Found found;
  for (const fs::path& folder : folders) find_below(folder, found);
  Gathered gathered;
  Gatherer gatherer(merge, gathered, collector);
  for (const fs::path& file : found.agents) gatherer.take_agent(file);
  for (const fs::path& file : found.collected) gatherer.take_collected(file);
  take_devices(found.devices, gatherer);
  if (!found.drafts.empty())
    merge.note(fmt::format("ignored {} of writers that were stopped: {}{}",
                           reports::plain_plural(found.drafts.size(), "half-written file"),
                           text::visible_line(found.drafts.front().string()),
                           found.drafts.size() > 1 ? ", ..." : ""));
  return gathered;
}

}  // namespace halfmark::tools
