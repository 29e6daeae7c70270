// SPDX-License-Identifier: MIT
// Messages between relay and app, as plain values. A request carries an id that its reply, or an ErrorReply,
// echoes; 0 stands for none. PROTOCOL.md beside this file explains limits and meaning.
#pragma once

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/protocol/control.h"
#include "core/protocol/jobstate.h"
#include "core/protocol/reason.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringside::wire {

/// The versions of the conversation that this program knows, oldest and newest.
inline constexpr std::uint32_t kProtocolMin = 1;
inline constexpr std::uint32_t kProtocolMax = 1;

/// The first message of each side.
struct Hello
{
    std::uint32_t protocolMin = kProtocolMin;
    std::uint32_t protocolMax = kProtocolMax;
    std::string version; ///< of the program, for people
    std::string host;
    std::string os;   ///< "linux"
    std::string arch; ///< "x86_64"
    std::string root; ///< the site's root folder; empty from the app
    std::int64_t monotonicNs = 0;
    std::int64_t wallNs = 0;
    bool operator==(const Hello&) const = default;
};

struct ProbeRequest
{
    std::uint32_t requestId = 0;
    bool operator==(const ProbeRequest&) const = default;
};

/// Asks a compute node the same, which takes as long as the queue lets it wait, at most two minutes. Only where there
/// is a scheduler.
struct NodeProbeRequest
{
    std::uint32_t requestId = 0;
    std::vector<std::string> options; ///< each "--name=value" or "--name": where the node is to be
    std::string scheduler = {};       ///< whose options these are
    bool operator==(const NodeProbeRequest&) const = default;
};

/// Facts of the site: os, cpu, cores, memory_bytes, root_writable, free_bytes, mpirun, worker_features …
struct ProbeReply
{
    std::uint32_t requestId = 0;
    std::map<std::string, std::string> values;
    bool operator==(const ProbeReply&) const = default;
};

/// Idempotent: repeated with the same campaign it starts nothing and returns the same job.
struct SubmitRequest
{
    std::uint32_t requestId = 0;
    CampaignId campaign;
    std::string script;         ///< job script; empty where the relay starts the runner itself
    std::string plan;           ///< JSON text of plan.json
    std::string scheduler = {}; ///< jobs::Submitter's word; empty where the relay starts the runner
    bool operator==(const SubmitRequest&) const = default;
};

struct SubmitReply
{
    std::uint32_t requestId = 0;
    std::string job; ///< the scheduler's job id, or the runner's pid
    bool alreadyThere = false;
    bool operator==(const SubmitReply&) const = default;
};

enum class CampaignState
{
    queued,
    starting,
    running,
    ended,
    lost
};

struct StatusRequest
{
    std::uint32_t requestId = 0;
    std::vector<CampaignId> campaigns;
    bool operator==(const StatusRequest&) const = default;
};

struct CampaignStatus
{
    CampaignId campaign;
    bool known = false; ///< the site has its plan; without, the rest is empty but for why::kRootBlank
    CampaignState state = CampaignState::queued;
    std::string job;
    Reason reason = {};                    ///< its state, or why it does not continue
    JobState jobState = JobState::unknown; ///< of the scheduler; unknown without one, or while it does not answer
    std::int64_t knownAtNs = 0;            ///< wall clock of when this was last known; 0: it is
    std::int64_t expectedStartNs = 0;      ///< wall clock of when the scheduler expects it to start; 0: it has no idea
    bool operator==(const CampaignStatus&) const = default;
};

struct StatusReply
{
    std::uint32_t requestId = 0;
    std::vector<CampaignStatus> campaigns;
    bool operator==(const StatusReply&) const = default;
};

/// Position up to which a file is stored: everything before `offset`, of the file that had this id.
struct Cursor
{
    std::string path; ///< relative to the site's root
    std::string fileId;
    std::uint64_t offset = 0;
    bool operator==(const Cursor&) const = default;
};

/// From now on the relay pushes what is in the campaign's files beyond the cursors, and what comes to them.
struct FollowRequest
{
    std::uint32_t requestId = 0;
    CampaignId campaign;
    std::vector<Cursor> cursors; ///< a file without one is sent from its start
    std::string plan = {}; ///< JSON text of plan.json, where the site has lost it: the folders of its runs are sent
    bool operator==(const FollowRequest&) const = default;
};

struct UnfollowRequest
{
    std::uint32_t requestId = 0;
    CampaignId campaign;
    bool operator==(const UnfollowRequest&) const = default;
};

enum class FileKind
{
    journal,
    spool,
    facts,
    log
};

/// A piece of a followed file. Pushed, in order within a file.
struct FileChunk
{
    CampaignId campaign;
    RunId run; ///< empty for the campaign's own files
    int attempt = 0;
    FileKind kind = FileKind::journal;
    int rank = -1;    ///< -1 for a file that belongs to no rank
    std::string path; ///< relative to the site's root
    std::string fileId;
    std::uint64_t offset = 0; ///< of the first byte
    std::string bytes;
    bool atEnd = false; ///< nothing was behind these bytes when they were read
    bool operator==(const FileChunk&) const = default;
};

/// State of following. Pushed when it changes, and after the first pass over the files.
struct FollowState
{
    std::uint32_t requestId = 0; ///< of the FollowRequest: what an earlier one had caught up with says nothing
    CampaignId campaign;
    bool caughtUp = false;
    bool runnerAlive = false;
    bool operator==(const FollowState&) const = default;
};

struct ControlRequest
{
    std::uint32_t requestId = 0;
    CampaignId campaign;
    Control control; ///< not cancelWaiting
    bool operator==(const ControlRequest&) const = default;
};

struct ControlReply
{
    std::uint32_t requestId = 0;
    bool operator==(const ControlReply&) const = default;
};

/// Kinds of what Ringside puts on a site.
enum class ItemKind
{
    agent,
    worker,
    source,
    torch,
    data,
    campaign,
    run,
    engine ///< a system that is not Ringside's own
};

/// One thing of a kind. Its folder is made of these, never read from a message.
struct Item
{
    ItemKind kind = ItemKind::agent;
    std::string name; ///< the key of a worker, the id of a run; of an agent "0.1.0/linux-x86_64-0123456789ab"
    bool operator==(const Item&) const = default;
};

struct InventoryRequest
{
    std::uint32_t requestId = 0;
    bool operator==(const InventoryRequest&) const = default;
};

struct InstalledItem
{
    Item item;
    std::string path; ///< relative to the site's root
    std::uint64_t bytes = 0;
    std::int64_t usedNs = 0; ///< wall clock, when it was used last as far as its files show
    bool inUse = false;      ///< it is not deleted now
    Reason reason;           ///< why it is not; empty if it may be
    std::string about;       ///< the experiment of a campaign, the torch of a worker, the version of a whole system
    StoreId store;           ///< whose campaign or run it is; empty for other kinds, and where that is not known
    bool operator==(const InstalledItem&) const = default;
};

struct InventoryReply
{
    std::uint32_t requestId = 0;
    std::vector<InstalledItem> items;
    bool operator==(const InventoryReply&) const = default;
};

/// Deletes what was chosen from the inventory. The relay refuses what is in use, and spools and journals that go beyond
/// the cursors of `stored`: whatever is not in a store stays.
struct DeleteRequest
{
    std::uint32_t requestId = 0;
    std::vector<RunId> runs;
    std::vector<CampaignId> campaigns;
    std::vector<Item> items; ///< of the other kinds
    std::vector<Cursor> stored;
    StoreId store = {}; ///< the sender's: campaigns and runs of another are refused; empty from an older sender
    bool operator==(const DeleteRequest&) const = default;
};

/// Something that was not deleted, and why.
struct Refusal
{
    std::string path; ///< relative to the site's root
    Reason reason;
    bool operator==(const Refusal&) const = default;
};

struct DeleteReply
{
    std::uint32_t requestId = 0;
    std::uint64_t freedBytes = 0;
    std::vector<Refusal> refused;
    bool operator==(const DeleteReply&) const = default;
};

/// Stands in the hint of an ErrorReply to a BuildRequest that `installTorch` would answer: the key of a site's file.
inline constexpr std::string_view kInstallTorchSetting = "install_torch";

/// Builds ringside-worker on the site, or finds that it is built already. Answered by any number of BuildProgress, then
/// by BuildReply or ErrorReply (notFound: the source is not there). The build goes on without us; asked again, it is
/// joined.
struct BuildRequest
{
    std::uint32_t requestId = 0;
    std::string source;               ///< SHA-256 of the source bundle, 64 hexadecimal digits
    std::string torch;                ///< folder on the site; empty: looked for
    std::vector<std::string> modules; ///< loaded before
    bool installTorch = false;        ///< install one for Ringside alone if there is none
    int jobs = 0;                     ///< compilers at a time; 0: by cores and memory
    std::uint32_t limitSeconds = 3600;
    bool operator==(const BuildRequest&) const = default;
};

struct BuildProgress
{
    std::uint32_t requestId = 0;
    std::string phase; ///< modules, tools, torch, wait, unpack, configure, compile, prove
    int percent = 0;
    std::string text;     ///< one line for people
    std::string log = {}; ///< what the build's log has got since the last progress; a piece may end within a character
    bool operator==(const BuildProgress&) const = default;
};

struct BuildReply
{
    std::uint32_t requestId = 0;
    std::string worker;   ///< absolute path on the site
    std::string key;      ///< of what it was built from
    std::string features; ///< JSON, as `ringside-worker features` prints it
    bool operator==(const BuildReply&) const = default;
};

enum class EngineAction
{
    install, ///< make its private environment, or find it whole; what was interrupted goes on
    verify,  ///< run what is installed, and report its version
    cancel   ///< end its installation, no matter who asked for it; what was fetched stays
};

/// Answered by any number of BuildProgress, then by EngineReply or ErrorReply. An installation goes on without us;
/// asked for again, it is joined. Its removal is a DeleteRequest.
struct EngineRequest
{
    std::uint32_t requestId = 0;
    std::string name; ///< of the system
    EngineAction action = EngineAction::install;
    std::string installation = {}; ///< JSON text (core/protocol/installation.h); empty to cancel
    std::string python = {};       ///< an interpreter there that has the system, or to make the environment with
    std::string wheels = {};       ///< a folder there, in place of the package index
    std::vector<std::string> modules = {}; ///< loaded before
    std::uint32_t limitSeconds = 7200;
    /// The reason, unknown to the site, for which what is there must not be changed: a campaign waits that needs it.
    Reason whyKept = {};
    bool operator==(const EngineRequest&) const = default;
};

struct EngineReply
{
    std::uint32_t requestId = 0;
    std::string engine; ///< JSON text (installedEnginesToJson) of that one; empty where it was cancelled
    bool operator==(const EngineReply&) const = default;
};

/// In place of a reply.
struct ErrorReply
{
    std::uint32_t requestId = 0;
    Error error;
    bool operator==(const ErrorReply& other) const
    {
        return requestId == other.requestId && error.code == other.error.code && error.message == other.error.message &&
               error.hint == other.error.hint;
    }
};

struct Ping
{
    std::uint64_t nonce = 0;
    bool operator==(const Ping&) const = default;
};

struct Pong
{
    std::uint64_t nonce = 0; ///< of the Ping
    bool operator==(const Pong&) const = default;
};

/// A message of a type that only a later version knows. Never sent; a relay answers it with an ErrorReply.
struct UnknownMessage
{
    std::uint32_t requestId = 0;
    int type = 0;
    bool operator==(const UnknownMessage&) const = default;
};

using Message =
    std::variant<Hello, ProbeRequest, ProbeReply, SubmitRequest, SubmitReply, StatusRequest, StatusReply, FollowRequest,
                 UnfollowRequest, FileChunk, FollowState, ControlRequest, ControlReply, DeleteRequest, DeleteReply,
                 ErrorReply, Ping, Pong, BuildRequest, BuildProgress, BuildReply, InventoryRequest, InventoryReply,
                 NodeProbeRequest, EngineRequest, EngineReply, UnknownMessage>;

/// The id that ties a reply to its request; 0 for messages that have none.
std::uint32_t requestIdOf(const Message& message);

/// The newest version that both know. Fails with newerVersion (theirs is too new) or unavailable (theirs is too old).
Result<std::uint32_t> negotiate(const Hello& ours, const Hello& theirs);

/// True for a name that its kind can have: plain path steps that lead nowhere else.
bool isItemName(const Item& item);

/// True for a path that stays below the folder it is appended to: relative, printable, no "..", at most 1,000 bytes.
bool isPathInside(std::string_view path);

} // namespace ringside::wire
