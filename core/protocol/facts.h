// SPDX-License-Identifier: MIT
// facts.json: what an attempt ran on (rule D22), written once by rank 0 before the first iteration, by rename (of a
// system that reports by another rank, by that one); that of a calibration, with what it found, after its last.
#pragma once

#include "core/base/error.h"
#include "core/protocol/calibration.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

inline constexpr int kFactsFormat = 1;
/// Longer ones are damaged: the relay sends more than this of them, and the app refuses them.
inline constexpr std::size_t kMaxFactsBytes = 16u << 20;

struct RankFacts
{
    int rank = 0;
    std::string host;
    std::string device; ///< "cpu" or a GPU's name
    std::string cores;  ///< cores the rank is bound to, as a list: "0" or "0-3"
    int threads = 1;
    std::string place = {}; ///< of these cores: "package 0, NUMA node 1"; empty where unknown
    std::string links = {}; ///< of its host: "eth0 10000 Mbit/s, mlx5_0 100 Gb/sec (4X EDR)"
    bool operator==(const RankFacts&) const = default;
};

/// A layer as layer timings count them, in the model's order.
struct LayerFacts
{
    std::string name; ///< of its convolution or product: "layer1.0.conv2"
    std::uint64_t gradientBytes = 0;
    bool operator==(const LayerFacts&) const = default;
};

struct Facts
{
    std::map<std::string, std::string> versions;    ///< ringside, torch, mpi, jpeg, compiler, cuda, nccl …
    std::map<std::string, std::string> machine;     ///< cpu model, cores, memory, kernel, governor, load before start
    std::map<std::string, std::string> environment; ///< OMP_*, OMPI_*, NCCL_* variables
    std::map<std::string, std::string> data;        ///< source, files, bytes, checksum, cache
    std::map<std::string, std::string> model;       ///< name, parameters, gradient bytes, operations per item
    std::vector<RankFacts> ranks;
    std::vector<LayerFacts> layers; ///< empty where they were not examined
    std::string transport;          ///< "single", "mpi: ob1 over self, tcp, vader"
    std::string system = {};        ///< "PyTorch 2.11.0"; empty: Ringside's own engine
    std::uint64_t seed = 0;
    std::optional<Calibration> calibration = {}; ///< of a calibration run
    bool operator==(const Facts&) const = default;
};

/// Members of `Facts::model`: floating-point operations of one image (or of one sequence of a model of text), forward,
/// and forward and backward together. Whole numbers. Not there if the layers were paced: they compute nothing.
inline constexpr const char* kForwardFlopsPerImage = "forward_flops_per_image";
inline constexpr const char* kFlopsPerImage = "flops_per_image";

/// Forward and backward; nullopt where they were not counted.
std::optional<double> flopsPerImage(const Facts& facts);

std::string factsToJson(const Facts& facts);
Result<Facts> factsFromJson(std::string_view text);

} // namespace ringside
