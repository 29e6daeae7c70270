// SPDX-License-Identifier: MIT
#include "agent/worker/train/startexport.h"

#include "core/base/environment.h"

#include <ATen/ATen.h>

namespace ringside {

namespace {

std::string_view bytesOf(const at::Tensor& tensor)
{
    return {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()};
}

Result<void> exportWeights(const fs::path& folder, const Model& model)
{
    std::string weights;
    for (const auto& parameter : model.parameters())
        weights += bytesOf(parameter.value.detach().cpu().contiguous());
    return writeFileAtomically(folder / "weights.f32", weights);
}

Result<void> exportIntegers(const fs::path& file, const std::int64_t* integers, const TrainSettings& settings)
{
    const auto each = static_cast<std::size_t>(settings.isOfTokens() ? settings.sequenceLength : 1);
    const auto n = static_cast<std::size_t>(settings.batch) * each;
    return writeFileAtomically(file, {reinterpret_cast<const char*>(integers), n * sizeof *integers});
}

at::Tensor imagesOf(const TrainSettings& settings, const Batch& batch)
{
    const std::int64_t n = batch.n;
    const std::int64_t size = settings.imageSize;
    auto* images = const_cast<float*>(batch.images); // from_blob accepts nothing less; the tensor is only read
    if (!settings.channelsLast)
        return at::from_blob(images, {n, 3, size, size});
    return at::from_blob(images, {n, size, size, 3}).permute({0, 3, 1, 2}).contiguous();
}

} // namespace

Result<void> exportStart(const TrainSettings& settings, const Model& model, BatchSource& data)
{
    const char* folder = environment("RINGSIDE_EXPORT_START");
    if (!folder)
        return {};
    if (settings.data.rank == 0)
        TRY(exportWeights(folder, model));
    TRY_ASSIGN(const auto batch, data.next());
    const auto file = [&](std::string_view name, std::string_view ending) {
        return fs::path(folder) / fmt::format("{}-{}.{}", name, settings.data.rank, ending);
    };
    if (settings.isOfTokens())
        TRY(exportIntegers(file("tokens", "i64"), batch.tokens, settings));
    else
        TRY(writeFileAtomically(file("images", "f32"), bytesOf(imagesOf(settings, batch))));
    return exportIntegers(file("labels", "i64"), batch.labels, settings);
}

} // namespace ringside
