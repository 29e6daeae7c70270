// SPDX-License-Identifier: MIT
// An experiment that is right, but not for its site.
#include "core/spec/plans.h"
#include "tests/spec/validation.h"

using namespace ringside;
using namespace ringside::spec;

TEST_CASE("each thing that a site lacks is named with field, value and what would be right")
{
    using E = Experiment;
    using S = SiteLimits;
    check({
        {"more ranks than cores", [](E& e, S&) { e.factors[0].levels.push_back(number(4)); },
         "warning factors.ranks[2]: Ranks: 4 with 1 core each are more than this computer has (2 cores). "
         "They share cores, so their times mean little.\n"},
        {"more nodes than there are",
         [](E& e, S&) {
             e.factors = {{"nodes", {number(1), number(2)}}};
         },
         "blocking factors.nodes[1]: Nodes: 2 is more than this computer has (1). Use at most 1.\n"},
        {"no MPI", [](E&, S& s) { s.features->erase("mpi"); },
         "blocking factors.ranks[1]: Ranks: the worker of this computer cannot run several ranks: it was built without "
         "MPI. "
         "Install Open MPI (libopenmpi-dev) and build again, or use 1 rank.\n"},
        {"no JPEG library",
         [](E& e, S& s) {
             e.fixed["data"] = word("synthetic-files");
             s.features->erase("jpeg");
         },
         "blocking fixed.data: Data: the worker of this computer cannot read pictures: it was built without "
         "libjpeg-turbo. "
         "Install libjpeg-turbo (libjpeg62-turbo-dev) and build again, or use data “synthetic”.\n"},
        {"no mpirun", [](E&, S& s) { s.mpirun = false; },
         "blocking factors.ranks[1]: Ranks: several need mpirun, which is not in PATH on this computer. "
         "Install Open MPI (Debian: openmpi-bin), or use 1 rank.\n"},
        {"no worker",
         [](E&, S& s) {
             s.worker = Error{ErrorCode::unavailable, "it is not there.", "Build it."};
         },
         "blocking : Worker: it is not there. Build it.\n"},
        {"no such folder",
         [](E& e, S& s) {
             e.fixed["data"] = word("folder");
             e.fixed["data_path"] = word("/p");
             s.hasFolder = [](const std::string&) { return false; };
         },
         "blocking fixed.data_path: Data folder: this computer has no folder “/p”. Name a folder that is there.\n"},
        {"packed records, which are no folder",
         [](E& e, S& s) {
             e.fixed["data"] = word("folder");
             e.fixed["files"] = word("packed");
             e.fixed["data_path"] = word("/p.records");
             s.hasFolder = [](const std::string&) { return false; };
         },
         ""},
        {"single files in packed records",
         [](E& e, S& s) {
             e.fixed["data"] = word("folder");
             e.fixed["data_path"] = word("/p.records");
             s.hasFolder = [](const std::string&) { return false; };
         },
         "blocking fixed.data_path: Data folder: this computer has no folder “/p.records”. Name a folder that is "
         "there.\n"},
        {"NCCL without GPUs", [](E& e, S&) { e.fixed["backend"] = word("nccl"); },
         "blocking fixed.backend: Backend: NCCL sums on GPUs, and this computer has none. "
         "Use the launcher's backend.\n"},
        {"no NCCL",
         [](E& e, S& s) {
             e.fixed["backend"] = word("nccl");
             s.devices.insert("cuda");
         },
         "blocking fixed.backend: Backend: the worker of this computer cannot use NCCL: it was built without CUDA. "
         "Build it where CUDA and NCCL are, or use the launcher's backend.\n"},
        {"NCCL with servers",
         [](E& e, S& s) {
             e.fixed["backend"] = word("nccl");
             e.factors[1].levels = {word("mxnet")};
             s.features->insert("nccl");
             s.devices.insert("cuda");
             s.cores = 3;
         },
         "blocking fixed.backend: Backend: NCCL does not carry the messages of parameter servers. "
         "Use the launcher's backend, or a plan without servers.\n"},
        {"no such device", [](E&, S& s) { s.devices = {"gpu"}; },
         "blocking fixed.device: Device: this computer has no “cpu”. It has gpu.\n"},
        {"no GPU", [](E& e, S&) { e.fixed["device"] = word("cuda"); },
         "blocking fixed.device: Device: this computer has no “cuda”. It has cpu.\n"
         "hint fixed.backend: Backend: MPI and TCP sum gradients in the host's memory, so those of GPUs go through it. "
         "Use backend “nccl”, where GPUs sum among themselves.\n"},
        {"a GPU, but libtorch has no CUDA",
         [](E& e, S& s) {
             e.fixed["device"] = word("cuda");
             s.devices.insert("cuda");
         },
         "blocking fixed.device: Device: the worker of this computer computes on CPUs only: its libtorch has no CUDA. "
         "Build it with a libtorch for CUDA, or use device “cpu”.\n"
         "hint fixed.backend: Backend: MPI and TCP sum gradients in the host's memory, so those of GPUs go through it. "
         "Use backend “nccl”, where GPUs sum among themselves.\n"},
        {"a GPU",
         [](E& e, S& s) {
             e.fixed["device"] = word("cuda");
             e.fixed["tf32"] = word("on");
             s.devices.insert("cuda");
             s.features->insert("cuda");
         },
         "hint fixed.backend: Backend: MPI and TCP sum gradients in the host's memory, so those of GPUs go through it. "
         "Use backend “nccl”, where GPUs sum among themselves.\n"},
        {"a GPU for layers that only take their time",
         [](E& e, S& s) {
             e.fixed["device"] = word("cuda");
             e.fixed["compute"] = word("paced");
             s.devices.insert("cuda");
             s.features->insert("cuda");
         },
         "blocking fixed.compute: Compute: paced layers compute nothing, so they need no GPU. Use device “cpu”.\n"
         "hint fixed.backend: Backend: MPI and TCP sum gradients in the host's memory, so those of GPUs go through it. "
         "Use backend “nccl”, where GPUs sum among themselves.\n"},
        {"an LSTM in a precision that a GPU does not compute it in",
         [](E& e, S& s) {
             e.fixed["device"] = word("cuda");
             e.fixed["model"] = word("lstm");
             e.fixed["precision"] = word("bf16");
             s.devices.insert("cuda");
             s.features->insert("cuda");
         },
         "blocking fixed.precision: Precision: on a GPU libtorch computes an LSTM in fp16 where bf16 is asked for. Use "
         "precision “fp32”, or device “cpu”.\n"
         "hint fixed.image_size: Image size: has no effect with LSTM.\n"
         "hint fixed.backend: Backend: MPI and TCP sum gradients in the host's memory, so those of GPUs go through it. "
         "Use backend “nccl”, where GPUs sum among themselves.\n"},
        {"a graph that the worker has not, and a plan that it has no place for",
         [](E& e, S& s) {
             e.fixed["device"] = word("cuda");
             e.fixed["cuda_graph"] = word("on");
             e.plans["mine"] = findBuiltInPlan("buckets")->plan;
             e.plans["mine"].name = "mine";
             e.plans["mine"].schedule = Schedule::priority;
             e.plans["mine"].chunkBytes = 1u << 20;
             e.factors[1].levels = {word("mine")};
             s.devices.insert("cuda");
             s.features->insert("cuda");
         },
         "blocking fixed.cuda_graph: CUDA graph: the worker of this computer was built without CUDA graphs. Build it "
         "where the headers of CUDA are, or set CUDA graph to off.\n"
         "blocking fixed.cuda_graph: CUDA graph: schedule “priority” updates layer by layer inside the next forward "
         "pass, which a graph has no place for. Use a plan of another schedule, or set CUDA graph to off.\n"
         "hint fixed.backend: Backend: MPI and TCP sum gradients in the host's memory, so those of GPUs go through it. "
         "Use backend “nccl”, where GPUs sum among themselves.\n"},
    });
}
