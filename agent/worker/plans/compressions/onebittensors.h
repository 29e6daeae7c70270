// SPDX-License-Identifier: MIT
// The code of onebitcode.h by libtorch's operations, for a GPU: of several ranges of numbers at once, each a row. All
// of it is enqueued on the current stream; nothing is waited for.
#pragma once

#include <ATen/core/Tensor.h>
#include <cstddef>
#include <span>

namespace ringside::onebit {

class TensorCode
{
public:
    /// For rows of so many numbers, `longest` at most, of which the code has codeBytes().
    TensorCode(std::span<const std::size_t> counts, std::size_t longest, c10::Device device);

    /// Zeros: rows of whole blocks, whose first numbers count.
    at::Tensor rows() const;
    /// A code a row; the numbers become what decoding loses of them.
    at::Tensor encode(const at::Tensor& rows) const;
    /// A row a code, of however many.
    at::Tensor decode(const at::Tensor& codes) const;

private:
    std::int64_t m_blocks; ///< of a row
    std::int64_t m_bytes;  ///< of its code
    at::Tensor m_behind;   ///< by row, block and place: whether none of the row's numbers is there
    at::Tensor m_counts;   ///< of numbers, by row and block
    at::Tensor m_places;   ///< bits of a byte, the lowest first
};

} // namespace ringside::onebit
