// SPDX-License-Identifier: MIT
// Parts of gradients that compression lost, to be added to the next ones (error feedback).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ringside {

class Losses
{
public:
    /// The losses of a unit whose size never changes; zero at first.
    std::vector<float>& of(std::uint32_t unit, std::size_t count)
    {
        auto& losses = m_losses[unit];
        losses.resize(count, 0.0f);
        return losses;
    }

private:
    std::unordered_map<std::uint32_t, std::vector<float>> m_losses;
};

} // namespace ringside
