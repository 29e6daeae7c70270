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
    check("sitefindings.txt",
          {
              {"more ranks than cores",
               [](E& e, S&) { e.factors[0].levels.push_back(number(4)); },
               {"warning factors.ranks[2]"}},
              {"more nodes than there are",
               [](E& e, S&) {
                   e.factors = {{"nodes", {number(1), number(2)}}};
               },
               {"blocking factors.nodes[1]"}},
              {"no MPI", [](E&, S& s) { s.features->erase("mpi"); }, {"blocking factors.ranks[1]"}},
              {"no JPEG library",
               [](E& e, S& s) {
                   e.fixed["data"] = word("synthetic-files");
                   s.features->erase("jpeg");
               },
               {"blocking fixed.data"}},
              {"no mpirun", [](E&, S& s) { s.mpirun = false; }, {"blocking factors.ranks[1]"}},
              {"no worker",
               [](E&, S& s) {
                   s.worker = Error{ErrorCode::unavailable, "it is not there.", "Build it."};
               },
               {"blocking "}},
              {"no such folder",
               [](E& e, S& s) {
                   e.fixed["data"] = word("folder");
                   e.fixed["data_path"] = word("/p");
                   s.hasFolder = [](const std::string&) { return false; };
               },
               {"blocking fixed.data_path"}},
              {"packed records, which are no folder",
               [](E& e, S& s) {
                   e.fixed["data"] = word("folder");
                   e.fixed["files"] = word("packed");
                   e.fixed["data_path"] = word("/p.records");
                   s.hasFolder = [](const std::string&) { return false; };
               },
               {}},
              {"single files in packed records",
               [](E& e, S& s) {
                   e.fixed["data"] = word("folder");
                   e.fixed["data_path"] = word("/p.records");
                   s.hasFolder = [](const std::string&) { return false; };
               },
               {"blocking fixed.data_path"}},
              {"NCCL without GPUs", [](E& e, S&) { e.fixed["backend"] = word("nccl"); }, {"blocking fixed.backend"}},
              {"no NCCL",
               [](E& e, S& s) {
                   e.fixed["backend"] = word("nccl");
                   s.devices.insert("cuda");
               },
               {"blocking fixed.backend"}},
              {"NCCL with servers",
               [](E& e, S& s) {
                   e.fixed["backend"] = word("nccl");
                   e.factors[1].levels = {word("mxnet")};
                   s.features->insert("nccl");
                   s.devices.insert("cuda");
                   s.cores = 3;
               },
               {"blocking fixed.backend"}},
              {"no such device", [](E&, S& s) { s.devices = {"gpu"}; }, {"blocking fixed.device"}},
              {"no GPU",
               [](E& e, S& s) {
                   e.fixed["device"] = word("cuda");
                   s.cores = 64;
               },
               {"blocking fixed.device", "hint fixed.backend"}},
              {"a GPU, but libtorch has no CUDA",
               [](E& e, S& s) {
                   e.fixed["device"] = word("cuda");
                   s.devices.insert("cuda");
                   s.cores = 64;
               },
               {"blocking fixed.device", "hint fixed.backend"}},
              {"a GPU",
               [](E& e, S& s) {
                   e.fixed["device"] = word("cuda");
                   e.fixed["tf32"] = word("on");
                   s.devices.insert("cuda");
                   s.cores = 64;
                   s.features->insert("cuda");
               },
               {"hint fixed.backend"}},
              {"a GPU whose gradients servers take",
               [](E& e, S& s) {
                   e.fixed["device"] = word("cuda");
                   e.factors[1].levels = {word("mxnet")};
                   s.devices.insert("cuda");
                   s.cores = 64;
                   s.features->insert("cuda");
               },
               {"hint factors.plan[0]"}},
              {"a GPU and too few cores beside it",
               [](E& e, S& s) {
                   e.fixed["device"] = word("cuda");
                   e.fixed["cores_per_rank"] = number(3);
                   s.devices.insert("cuda");
                   s.cores = 64;
                   s.features->insert("cuda");
               },
               {"warning fixed.cores_per_rank", "hint fixed.backend"}},
              {"a GPU and few cores, as the site has no more",
               [](E& e, S& s) {
                   e.fixed["device"] = word("cuda");
                   e.fixed["cores_per_rank"] = number(1);
                   s.devices.insert("cuda");
                   s.cores = 3;
                   s.features->insert("cuda");
               },
               {"hint fixed.backend"}},
              {"a GPU for layers that only take their time",
               [](E& e, S& s) {
                   e.fixed["device"] = word("cuda");
                   e.fixed["compute"] = word("paced");
                   s.devices.insert("cuda");
                   s.cores = 64;
                   s.features->insert("cuda");
               },
               {"blocking fixed.compute", "hint fixed.backend"}},
              {"an LSTM in a precision that a GPU does not compute it in",
               [](E& e, S& s) {
                   e.fixed["device"] = word("cuda");
                   e.fixed["model"] = word("lstm");
                   e.fixed["precision"] = word("bf16");
                   s.devices.insert("cuda");
                   s.cores = 64;
                   s.features->insert("cuda");
               },
               {"blocking fixed.precision", "hint fixed.image_size", "hint fixed.backend"}},
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
                   s.cores = 64;
                   s.features->insert("cuda");
               },
               {"blocking fixed.cuda_graph", "blocking fixed.cuda_graph", "hint fixed.backend"}},
              {"serialised phases of a plan that sends inside the next forward pass",
               [](E& e, S& s) {
                   e.fixed["device"] = word("cuda");
                   e.fixed["timing"] = word("serialised");
                   e.fixed["backend"] = word("nccl");
                   e.plans["mine"] = findBuiltInPlan("buckets")->plan;
                   e.plans["mine"].name = "mine";
                   e.plans["mine"].schedule = Schedule::priority;
                   e.plans["mine"].chunkBytes = 1u << 20;
                   e.factors[1].levels = {word("mine")};
                   s.devices.insert("cuda");
                   s.cores = 64;
                   s.features->insert("cuda");
                   s.features->insert("nccl");
               },
               {"blocking fixed.timing"}},
          });
}
