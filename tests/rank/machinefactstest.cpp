// SPDX-License-Identifier: MIT
#include "agent/rank/machinefacts.h"

#include "core/protocol/jobvariables.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <sched.h>
#include <unistd.h>

using namespace ringside;

TEST_CASE("machine facts name the processor, its cores and the memory")
{
    const FactMap facts = machineFacts();
    for (const char* name : {"host", "kernel", "cpu", "cores", "memory", "virtualised", "load_before_start"}) {
        CAPTURE(name);
        REQUIRE(facts.count(name) == 1);
        CHECK_FALSE(facts.at(name).empty());
    }
    CHECK(std::stol(facts.at("cores")) == sysconf(_SC_NPROCESSORS_ONLN));
    CHECK(std::stoull(facts.at("memory")) > 100'000'000);
}

TEST_CASE("GPUs are named as their driver shows them, and so is its version")
{
    const test::TemporaryFolder driver;
    for (const auto& [bus, model] :
         {std::pair("0000:18:00.0", "NVIDIA H100 80GB HBM3"), std::pair("0000:17:00.0", "NVIDIA A100-SXM4-40GB")}) {
        fs::create_directories(driver / "gpus" / bus);
        std::ofstream(driver / "gpus" / bus / "information") << "Model: \t\t " << model << "\nIRQ:   \t\t 42\n";
    }
    CHECK(gpuModels(driver.path()) == std::vector<std::string>{"NVIDIA A100-SXM4-40GB", "NVIDIA H100 80GB HBM3"});
    std::ofstream(driver / "version")
        << "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build  (dvs-builder@U16)\n"
           "GCC version:  gcc version 11.4.0\n";
    CHECK(gpuDriverVersion(driver.path()) == "560.35.03");
    CHECK(gpuModels("/nowhere/at/all").empty());
    CHECK(gpuDriverVersion("/nowhere/at/all").empty());
}

TEST_CASE("environment facts hold what steers a run, and no secrets")
{
    setenv("NCCL_ALGO", "Ring", 1);
    setenv("OMPI_MCA_btl", "self,vader", 1);
    setenv("SLURM_JWT", "must not be seen", 1);
    setenv("CUDA_API_TOKEN", "must not be seen", 1);
    setenv("OMPI_MCA_orte_precondition_transports", "must not be seen", 1);
    setenv("HOME_OF_SOMETHING", "must not be seen", 1);
    setenv("OMP_LONG", std::string(5000, 'x').c_str(), 1);
    setenv("SLURM_JOB_ID", "4711", 1);
    CHECK_FALSE(environmentFacts().contains("SLURM_JOB_ID")); // whose job that is, the guard says
    setenv(kJobVariablesVariable, "SLURM_", 1);
    const FactMap facts = environmentFacts();
    CHECK(facts.at("SLURM_JOB_ID") == "4711");
    CHECK(facts.at("NCCL_ALGO") == "Ring");
    CHECK(facts.at("OMPI_MCA_btl") == "self,vader");
    CHECK(facts.at("OMP_LONG").size() == 1000);
    for (const auto& [name, value] : facts)
        CHECK_MESSAGE(value != "must not be seen", name);
}

TEST_CASE("environment facts of a child hold what it is started with in place of what this process has")
{
    setenv("TF_CPP_MIN_LOG_LEVEL", "0", 1);
    setenv("KERAS_BACKEND", "tensorflow", 1);
    const FactMap facts = environmentFacts({{"TF_CPP_MIN_LOG_LEVEL", "2"},
                                            {"MXNET_CPU_WORKER_NTHREADS", "4"},
                                            {"HOROVOD_SECRET_KEY", "must not be seen"},
                                            {"MXNET_GLUON_REPO", "https://name:word@mirror.example/mxnet"},
                                            {"OTHER", "1"},
                                            {kJobVariablesVariable, "JOB_"},
                                            {"JOB_NAME", "study"}});
    CHECK(facts.at("TF_CPP_MIN_LOG_LEVEL") == "2");
    CHECK(facts.at("MXNET_CPU_WORKER_NTHREADS") == "4");
    CHECK(facts.at("KERAS_BACKEND") == "tensorflow");
    CHECK(facts.at("JOB_NAME") == "study");
    for (const char* hidden : {"HOROVOD_SECRET_KEY", "MXNET_GLUON_REPO", "OTHER"})
        CHECK_MESSAGE(!facts.contains(hidden), hidden);
}

TEST_CASE("names of variables that look like secrets are not shown")
{
    const auto isShown = [](const char* name) { return environmentFacts({{name, "1"}}).contains(name); };
    CHECK(isShown("OMP_NUM_THREADS"));
    for (const char* name : {"MKL_NUM_THREADS", "TF_CONFIG", "XLA_FLAGS", "MXNET_ENGINE_TYPE", "PS_VERBOSE",
                             "DMLC_ROLE", "TORCH_NCCL_ASYNC_ERROR_HANDLING", "PYTORCH_CUDA_ALLOC_CONF", "KERAS_BACKEND",
                             "HOROVOD_FUSION_THRESHOLD", "JAX_PLATFORMS"})
        CHECK_MESSAGE(isShown(name), name);
    CHECK_FALSE(isShown("SLURM_password"));
    CHECK_FALSE(isShown("NCCL_PRIVATE_KEY"));
    CHECK_FALSE(isShown("PATH"));
    CHECK_FALSE(isShown("MY_OMP_THREADS"));
}

TEST_CASE("version facts name the compiler")
{
    const FactMap facts = versionFacts();
    CHECK(facts.at("ringside") == RINGSIDE_VERSION);
    CHECK(facts.at("compiler").find('.') != std::string::npos);
}
