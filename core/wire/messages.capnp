# SPDX-License-Identifier: MIT
# The messages between relay and app. Rules of evolution: PROTOCOL.md beside this file. In short: append fields and union
# members, never renumber, never reuse.
@0xd2e8961040f70311;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("ringside::wire::schema");

struct Frame {
  requestId @0 :UInt32;  # ties a reply to its request; 0 = none

  union {
    hello @1 :Hello;
    probeRequest @2 :Void;
    probeReply @3 :ProbeReply;
    submitRequest @4 :SubmitRequest;
    submitReply @5 :SubmitReply;
    statusRequest @6 :StatusRequest;
    statusReply @7 :StatusReply;
    followRequest @8 :FollowRequest;
    unfollowRequest @9 :UnfollowRequest;
    fileChunk @10 :FileChunk;
    followState @11 :FollowState;
    controlRequest @12 :ControlRequest;
    controlReply @13 :Void;
    deleteRequest @14 :DeleteRequest;
    deleteReply @15 :DeleteReply;
    errorReply @16 :ErrorReply;
    ping @17 :UInt64;  # a nonce
    pong @18 :UInt64;  # the nonce of the ping
    buildRequest @19 :BuildRequest;
    buildProgress @20 :BuildProgress;
    buildReply @21 :BuildReply;
    inventoryRequest @22 :Void;
    inventoryReply @23 :InventoryReply;
    nodeProbeRequest @24 :NodeProbeRequest;  # answered by probeReply
    engineRequest @25 :EngineRequest;  # answered by buildProgress and engineReply
    engineReply @26 :EngineReply;
  }
}

struct Hello {
  protocolMin @0 :UInt32;
  protocolMax @1 :UInt32;
  version @2 :Text;
  capabilities @3 :List(Text);  # was never filled
  host @4 :Text;
  os @5 :Text;
  arch @6 :Text;
  root @7 :Text;
  monotonicNs @8 :Int64;
  wallNs @9 :Int64;
}

struct Pair {
  name @0 :Text;
  value @1 :Text;
}

struct ProbeReply {
  values @0 :List(Pair);
}

struct NodeProbeRequest {
  options @0 :List(Text);
  scheduler @1 :Text;  # empty, of older versions: the usual one
}

struct SubmitRequest {
  campaign @0 :Text;
  script @1 :Data;
  plan @2 :Data;
  scheduler @3 :Text;  # empty: the relay starts the runner itself
}

struct SubmitReply {
  job @0 :Text;
  alreadyThere @1 :Bool;
}

struct StatusRequest {
  campaigns @0 :List(Text);
}

enum CampaignState {
  queued @0;
  starting @1;
  running @2;
  ended @3;
  lost @4;
}

struct CampaignStatus {
  campaign @0 :Text;
  known @1 :Bool;
  state @2 :CampaignState;
  job @3 :Text;
  reason @4 :Text;  # a sentence, from relays that know no `why`; later ones leave it empty
  jobState @5 :JobState;
  jobReason @6 :Text;  # was never read: `why` has the scheduler's own word
  knownAtNs @7 :Int64;  # wall clock of when this was last known; 0: it is
  expectedStartNs @8 :Int64;  # wall clock; 0: the scheduler has no idea
  why @9 :Text;  # a reason as one JSON object; empty: none
}

# The order of core/protocol/jobstate.h; one that the reader does not know reads as unknown.
enum JobState {
  unknown @0;
  pending @1;
  requeued @2;
  running @3;
  suspended @4;
  completing @5;
  completed @6;
  failed @7;
  cancelled @8;
  timeout @9;
  outOfMemory @10;
  nodeFail @11;
  preempted @12;
  bootFail @13;
}

struct StatusReply {
  campaigns @0 :List(CampaignStatus);
}

struct Cursor {
  path @0 :Text;
  fileId @1 :Text;
  offset @2 :UInt64;
}

struct FollowRequest {
  campaign @0 :Text;
  cursors @1 :List(Cursor);
  plan @2 :Text;
}

struct UnfollowRequest {
  campaign @0 :Text;
}

enum FileKind {
  journal @0;
  spool @1;
  facts @2;
  log @3;
}

struct FileChunk {
  campaign @0 :Text;
  run @1 :Text;  # empty for the campaign's own files
  attempt @2 :Int32;
  kind @3 :FileKind;
  rank @4 :Int32 = -1;
  path @5 :Text;
  fileId @6 :Text;
  offset @7 :UInt64;
  bytes @8 :Data;
  atEnd @9 :Bool;
}

struct FollowState {
  campaign @0 :Text;
  caughtUp @1 :Bool;
  runnerAlive @2 :Bool;
}

enum ControlAction {
  hold @0;
  proceed @1;
  cancel @2;
  cancelRun @3;
}

struct ControlRequest {
  campaign @0 :Text;
  action @1 :ControlAction;
  run @2 :Text;  # cancelRun only
}

struct DeleteRequest {
  runs @0 :List(Text);
  campaigns @1 :List(Text);
  items @2 :List(Item);  # of what belongs to no campaign
  stored @3 :List(Cursor);  # how far spools and journals are in the sender's store
  store @4 :Text;  # the sender's: what belongs to another is refused
}

struct Refusal {
  path @0 :Text;
  reason @1 :Text;  # as in CampaignStatus
  why @2 :Text;  # as in CampaignStatus
}

struct DeleteReply {
  freedBytes @0 :UInt64;
  refused @1 :List(Refusal);
}

enum ItemKind {
  agent @0;
  worker @1;
  source @2;
  torch @3;
  data @4;
  campaign @5;
  run @6;
  engine @7;
}

struct Item {
  kind @0 :ItemKind;
  name @1 :Text;  # one step of a path; of an agent two
}

struct InstalledItem {
  item @0 :Item;
  path @1 :Text;
  bytes @2 :UInt64;
  usedNs @3 :Int64;
  inUse @4 :Bool;
  reason @5 :Text;  # as in CampaignStatus
  about @6 :Text;
  store @7 :Text;  # of campaigns and runs; else empty
  why @8 :Text;  # as in CampaignStatus
}

struct InventoryReply {
  items @0 :List(InstalledItem);
}

struct BuildRequest {
  source @0 :Text;  # SHA-256 of the bundle, which lies below the root
  torch @1 :Text;
  modules @2 :List(Text);
  installTorch @3 :Bool;
  jobs @4 :Int32;
  limitSeconds @5 :UInt32;
}

struct BuildProgress {
  phase @0 :Text;
  percent @1 :Int32;
  text @2 :Text;
  log @3 :Data;
}

struct BuildReply {
  worker @0 :Text;
  key @1 :Text;
  features @2 :Text;
}

enum EngineAction {
  install @0;
  verify @1;
  cancel @2;
}

struct EngineRequest {
  name @0 :Text;
  action @1 :EngineAction;
  installation @2 :Text;  # JSON of core/protocol/installation.h
  python @3 :Text;
  wheels @4 :Text;
  modules @5 :List(Text);
  limitSeconds @6 :UInt32;
  why @7 :Text;  # as in CampaignStatus
}

struct EngineReply {
  engine @0 :Text;  # JSON of core/protocol/installedengine.h: of one, by its name
}

# The order of core/base/error.h; a code that the reader does not know reads as internal.
enum ErrorCode {
  usage @0;
  notFound @1;
  exists @2;
  io @3;
  noSpace @4;
  permission @5;
  damaged @6;
  newerVersion @7;
  busy @8;
  timeout @9;
  unavailable @10;
  cancelled @11;
  internal @12;
}

struct ErrorReply {
  code @0 :ErrorCode;
  message @1 :Text;
  hint @2 :Text;
}
