// SPDX-License-Identifier: MIT
// Sources are named as repository: file and line.
#include "core/spec/presets.h"

#include "core/base/words.h"

namespace ringside::spec {

namespace {

/// Elements of SINGA and MXNet are floats.
constexpr std::uint64_t kFloatBytes = 4;
constexpr std::uint64_t kSingaThresholdElements = 2'097'152;
constexpr std::uint64_t kMxnetBigArrayElements = 1'000'000;

AggregationPlan planOf(std::string name, Grouping grouping, Schedule schedule,
                       Collective collective = Collective::allreduce)
{
    AggregationPlan plan;
    plan.name = std::move(name);
    plan.collective = collective;
    plan.grouping = grouping;
    plan.schedule = schedule;
    return plan;
}

AggregationPlan compressed(AggregationPlan plan, Compression compression)
{
    plan.compression = compression;
    return plan;
}

AggregationPlan fused(std::string name, std::uint64_t thresholdBytes, std::int64_t cycleUs)
{
    AggregationPlan plan = planOf(std::move(name), Grouping::fusion, Schedule::overlapped);
    plan.fusionThresholdBytes = thresholdBytes;
    plan.fusionCycleUs = cycleUs;
    return plan;
}

AggregationPlan mxnet()
{
    AggregationPlan plan = planOf("mxnet", Grouping::perTensor, Schedule::priority, Collective::parameterServer);
    plan.chunkBytes = kMxnetBigArrayElements * kFloatBytes;
    plan.serverPerNode = true;
    return plan;
}

AggregationPlan singa(std::string name, Compression compression)
{
    AggregationPlan plan = compressed(planOf(std::move(name), Grouping::buckets, Schedule::overlapped), compression);
    plan.firstBucketBytes = plan.bucketCapBytes = kSingaThresholdElements * kFloatBytes;
    return plan;
}

std::vector<PlanSource> bucketSizes()
{
    return {{Words::noop("first bucket"), "1 MiB",
             "pytorch/pytorch: torch/csrc/distributed/c10d/reducer.hpp, kDefaultFirstBucketBytes"},
            {Words::noop("bucket cap"), "25 MiB",
             "pytorch/pytorch: torch/csrc/distributed/c10d/reducer.hpp, kDefaultBucketBytesCap"}};
}

std::vector<BuiltInPlan> ringsides()
{
    return {
        {planOf("one", Grouping::one, Schedule::afterBackward),
         Words::noop("All gradients in one message, sent when the backward pass is over.")},
        {planOf("one-overlapped", Grouping::one, Schedule::overlapped),
         Words::noop("All gradients in one message, sent by a communication thread as soon as the last one is there.")},
        {planOf("buckets", Grouping::buckets, Schedule::overlapped),
         Words::noop(
             "Buckets of gradients (1 MiB, then 25 MiB), each sent during the backward pass: PyTorch DDP's way."),
         bucketSizes()},
        {planOf("buckets-after", Grouping::buckets, Schedule::afterBackward),
         Words::noop("The same buckets, sent one after the other when the backward pass is over."), bucketSizes()},
    };
}

std::vector<BuiltInPlan> caffeFamily()
{
    return {
        {planOf("caffe", Grouping::perTensor, Schedule::overlapped),
         Words::noop("BVLC Caffe's: an all-reduce for each layer during the backward pass."),
         {{"layer_wise_reduce", "true", "BVLC/caffe: src/caffe/proto/caffe.proto:247"},
          {Words::noop("all-reduce during backward"), "", "BVLC/caffe: src/caffe/parallel.cpp"}},
         Words::noop("Caffe sends all parameters of a layer in one message and runs on one node; here each tensor is a "
                     "message.")},
        {planOf("caffe-mpi", Grouping::equalBuckets, Schedule::overlapped),
         Words::noop("Caffe-MPI's: six buckets of about the same size, each sent by a background thread during the "
                     "backward pass."),
         {{"reduce_buckets", "6", "Caffe-MPI/Caffe-MPI.github.io: src/caffe/proto/caffe.proto:140"},
          {Words::noop("reduce thread"), "", "Caffe-MPI/Caffe-MPI.github.io: src/caffe/net.cpp:757-876"}},
         Words::noop("Caffe-MPI updates the weights of each bucket as it comes; here the update follows the last.")},
    };
}

std::vector<BuiltInPlan> cntks()
{
    const PlanSource after = {Words::noop("aggregation after the mini-batch"), "",
                              "MicrosoftDocs/cognitive-toolkit-docs: articles/Multiple-GPUs-and-machines.md"};
    const char* packs = Words::noop("CNTK packs gradients of up to 32 KiB into one message (Constants.h, "
                                    "DEFAULT_PACK_THRESHOLD_SIZE_IN_KB); here each tensor is a message.");
    return {
        {planOf("cntk", Grouping::perTensor, Schedule::afterBackward),
         Words::noop("CNTK's data-parallel SGD: gradients are added up tensor by tensor when the backward pass is "
                     "over."),
         {{"gradientBits", "32", after.where}, after},
         packs},
        {compressed(planOf("cntk-1bit", Grouping::perTensor, Schedule::afterBackward), Compression::onebit),
         Words::noop("CNTK's 1-bit SGD: as cntk, but only signs and two means travel, and what is lost is added to the "
                     "next gradients."),
         {{"gradientBits", "1", after.where}, after},
         Words::noop("CNTK has two means for each column of a weight matrix; here each 1,024 numbers of a tensor have "
                     "two.")},
    };
}

std::vector<BuiltInPlan> servers()
{
    return {
        {mxnet(),
         Words::noop(
             "MXNet's dist_sync: each array is pushed to a parameter server, and those of the front layers come "
             "back first."),
         {{Words::noop("array cut over the servers above"), "1,000,000 elements",
           "apache/mxnet: docs/faq/env_var, MXNET_KVSTORE_BIGARRAY_BOUND"},
          {Words::noop("priority of keys"), "", "apache/mxnet: docs/faq/distributed_training.md"},
          {Words::noop("servers"), Words::noop("one for each worker node"),
           "apache/mxnet: docs/faq/distributed_training.md, launch.py -s"}},
         Words::noop("MXNet gives whole arrays a priority and cuts only the large ones, over its servers; here all are "
                     "cut into chunks of that size.")},
        {planOf("tensorflow-ps", Grouping::perTensor, Schedule::overlapped, Collective::parameterServer),
         Words::noop("TensorFlow's parameter server: each gradient is sent to the server of its variable as soon as it "
                     "is there."),
         {{"variable_update", "parameter_server", "tensorflow/benchmarks: scripts/tf_cnn_benchmarks/benchmark_cnn.py"},
          {Words::noop("variables on servers"), "",
           "tensorflow/benchmarks: scripts/tf_cnn_benchmarks/variable_mgr.py"}},
         Words::noop(
             "The number of servers is set when TensorFlow is started (ps_hosts); here the default is 1. TensorFlow "
             "leaves a variable whole on one of them; here one of 1,000,000 numbers or more is cut over all.")},
    };
}

std::vector<BuiltInPlan> collectives()
{
    return {
        {planOf("tensorflow-collective", Grouping::one, Schedule::overlapped),
         Words::noop(
             "TensorFlow 2's collective: all gradients packed into one all-reduce, sent as soon as the last one "
             "is there."),
         {{"bytes_per_pack", "0 (automatic)", "tensorflow/tensorflow: tensorflow/python/distribute/collective_util.py"},
          {Words::noop("0 means one pack"), "",
           "tensorflow/tensorflow: tensorflow/python/distribute/cross_device_utils.py, group_by_size"}}},
        {planOf("ddp", Grouping::buckets, Schedule::overlapped),
         Words::noop(
             "PyTorch DistributedDataParallel's: buckets of 1 MiB, then 25 MiB, each sent during the backward pass."),
         bucketSizes()},
        {fused("horovod", 128u << 20, 1'000),
         Words::noop("Horovod's since 0.21: every millisecond, what all ranks have ready is fused, up to 128 MiB."),
         {{Words::noop("fusion threshold"), "128 MiB", "horovod/horovod: horovod/common/operations.cc:519-536"},
          {Words::noop("cycle time"), "1 ms", "horovod/horovod: horovod/common/operations.cc:519-536"},
          {Words::noop("since version"), "0.21", "horovod/horovod: CHANGELOG.md:422"}}},
        {fused("horovod-old", 64u << 20, 5'000),
         Words::noop("Horovod's before 0.21: every 5 milliseconds, what all ranks have ready is fused, up to 64 MiB."),
         {{Words::noop("fusion threshold"), "64 MiB",
           "horovod/horovod: horovod/common/operations.cc, 3ffe479e^ (PR #2468)"},
          {Words::noop("cycle time"), "5 ms", "horovod/horovod: horovod/common/operations.cc, 3ffe479e^ (PR #2468)"}}},
        {fused("keras", 128u << 20, 1'000),
         Words::noop("Keras leaves aggregation to its backend or to Horovod: this is Horovod's since 0.21."),
         {{Words::noop("as horovod"), "128 MiB, 1 ms", "horovod/horovod: horovod/common/operations.cc:519-536"}}},
        {planOf("mg-wfbp", Grouping::optimal, Schedule::overlapped),
         Words::noop("MG-WFBP's: neighbouring layers are merged into one message where that shortens the iteration."),
         {{Words::noop("cost of a message"), "α + βM, fitted", "HKBU-HPML/MG-WFBP: distributed_optimizer.py:101-127"},
          {Words::noop("merge rule"), "", "HKBU-HPML/MG-WFBP: distributed_optimizer.py:187-257"}},
         Words::noop(
             "MG-WFBP merges by a rule that looks at one layer after the other; here the best of all groupings of "
             "whole layers is taken, by times that each run measures before it begins. The rule itself is "
             "mg-wfbp-rule.")},
        {planOf("mg-wfbp-rule", Grouping::merged, Schedule::overlapped),
         Words::noop("MG-WFBP's, by its own rule: a layer joins the message before it where waiting for it costs less "
                     "than a message of its own."),
         {{Words::noop("cost of a message"), "α + βM, fitted", "HKBU-HPML/MG-WFBP: distributed_optimizer.py:101-127"},
          {Words::noop("merge rule"), "", "HKBU-HPML/MG-WFBP: distributed_optimizer.py:187-257"}},
         Words::noop(
             "The cost is fitted in pieces rather than as one line, to what the site's calibration or the run itself "
             "measured before it began.")},
    };
}

std::vector<BuiltInPlan> singas()
{
    const PlanSource threshold = {Words::noop("tensors fused below"), "2,097,152 elements",
                                  "apache/singa: python/singa/opt.py, threshold"};
    const PlanSource buffer = {Words::noop("fusion buffer"), "4,194,304 elements",
                               "apache/singa: communicator.h, python/singa/opt.py"};
    const char* large = Words::noop("SINGA sends a tensor of the threshold's size or more by itself and fuses smaller "
                                    "ones until they exceed it; here a bucket of 8 MiB is sent when it is full.");
    return {
        {singa("singa-fused", Compression::none),
         Words::noop("SINGA's DistOpt: small gradients are fused up to 8 MiB and sent during the backward pass."),
         {threshold, buffer},
         large},
        {singa("singa-half", Compression::fp16),
         Words::noop("SINGA's DistOpt in half precision: as singa-fused, and gradients travel as fp16."),
         {threshold, buffer},
         large},
        {singa("singa-sparse", Compression::topk),
         Words::noop("SINGA's sparse DistOpt: as singa-fused, but only the largest 5 % of the gradients travel."),
         {threshold, buffer, {Words::noop("sparsity"), "0.05", "apache/singa: python/singa/opt.py, spars"}},
         Words::noop("This is SINGA with topK=True; its default sends those above the value 0.05 instead. Tensors are "
                     "fused as in singa-fused.")},
    };
}

} // namespace

std::vector<BuiltInPlan> presetTable()
{
    std::vector<BuiltInPlan> plans;
    for (std::vector<BuiltInPlan> family : {ringsides(), caffeFamily(), cntks(), servers(), collectives(), singas()})
        std::ranges::move(family, std::back_inserter(plans));
    plans.push_back({AggregationPlan{}, Words::noop("Nothing to aggregate: the plan of a single rank.")});
    return plans;
}

} // namespace ringside::spec
