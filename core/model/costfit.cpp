// SPDX-License-Identifier: MIT
#include "core/model/costfit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside::model {

namespace {

constexpr double kNoise = 0.02;         // relative error that is not worth a piece
constexpr double kBytesOfLongest = 0.5; // share of the longest message's time that its bytes take at least

struct Piece
{
    CostSegment cost;
    double squaredError = 0; ///< relative, summed
};

using Times = std::span<const MessageTime>;

double errorOf(const CostSegment& cost, const MessageTime& time)
{
    return (cost.latency + static_cast<double>(time.bytes) * cost.perByte) / time.seconds - 1;
}

/// Weighted sums over a piece; the weight of a time is 1 / seconds², so x and y are bytes and seconds over seconds.
struct Sums
{
    double w = 0, x = 0, xx = 0, y = 0, xy = 0;
};

Sums sumsOf(Times times)
{
    Sums sums;
    for (const MessageTime& time : times) {
        const double x = static_cast<double>(time.bytes), weight = 1 / (time.seconds * time.seconds);
        sums.w += weight;
        sums.x += weight * x;
        sums.xx += weight * x * x;
        sums.y += weight * time.seconds;
        sums.xy += weight * x * time.seconds;
    }
    return sums;
}

/// The place of a piece: whether longer messages follow, of another one.
enum class Place
{
    between,
    last
};

/// Too flat to be of messages that are longer than all measured ones.
bool isFlat(const CostSegment& cost, const MessageTime& longest)
{
    return static_cast<double>(longest.bytes) * cost.perByte < kBytesOfLongest * longest.seconds;
}

/// The line; where it has a negative number, the better one of those that do without it. A last piece that is too flat
/// does without the latency.
CostSegment lineThrough(Times times, Place place)
{
    const Sums s = sumsOf(times);
    CostSegment cost{times.back().bytes, 0, 0};
    const double determinant = s.w * s.xx - s.x * s.x;
    if (determinant > 1e-12 * s.w * s.xx) {
        cost.latency = (s.xx * s.y - s.x * s.xy) / determinant;
        cost.perByte = (s.w * s.xy - s.x * s.y) / determinant;
    } else {
        cost.latency = s.y / s.w; // one size
    }
    if (cost.latency < 0 || (place == Place::last && isFlat(cost, times.back())))
        return {cost.upTo, 0, s.xy / s.xx};
    if (cost.perByte < 0)
        return {cost.upTo, s.y / s.w, 0};
    return cost;
}

Piece fitPiece(Times times, Place place)
{
    Piece piece{lineThrough(times, place)};
    for (const MessageTime& time : times)
        piece.squaredError += std::pow(errorOf(piece.cost, time), 2);
    return piece;
}

/// best[k][end]: the lowest error of the first `end` times in k + 1 pieces, and where the last of these begins.
struct Cut
{
    double error = std::numeric_limits<double>::infinity();
    std::size_t begin = 0;
};

class Cutter
{
public:
    explicit Cutter(Times times)
        : m_times(times)
    {
        const std::size_t n = times.size(), most = std::min(kMostSegments, std::max<std::size_t>(1, n / kFewestTimes));
        m_best.assign(most, std::vector<Cut>(n + 1));
        for (std::size_t end = 1; end <= n; ++end)
            m_best[0][end] = {fit(0, end).squaredError, 0};
        for (std::size_t k = 1; k < most; ++k)
            for (std::size_t end = (k + 1) * kFewestTimes; end <= n; ++end)
                m_best[k][end] = bestCut(k, end);
    }

    std::vector<Piece> best() const
    {
        std::size_t chosen = 0;
        for (std::size_t k = 1; k < m_best.size(); ++k)
            if (criterion(k) < criterion(chosen))
                chosen = k;
        return pieces(chosen);
    }

private:
    Piece fit(std::size_t begin, std::size_t end) const
    {
        return fitPiece(m_times.subspan(begin, end - begin), end == m_times.size() ? Place::last : Place::between);
    }

    Cut bestCut(std::size_t k, std::size_t end) const
    {
        Cut best;
        for (std::size_t begin = k * kFewestTimes; begin + kFewestTimes <= end; ++begin) {
            const double error = m_best[k - 1][begin].error + fit(begin, end).squaredError;
            if (error < best.error)
                best = {error, begin};
        }
        return best;
    }

    double criterion(std::size_t k) const
    {
        const double n = static_cast<double>(m_times.size()), numbers = 3 * static_cast<double>(k + 1) - 1;
        const double error = std::max(m_best[k].back().error / n, kNoise * kNoise);
        return n * std::log(error) + numbers * std::log(n);
    }

    std::vector<Piece> pieces(std::size_t k) const
    {
        std::vector<Piece> found;
        for (std::size_t end = m_times.size(); end > 0; --k) { // the first piece begins at 0
            const std::size_t begin = m_best[k][end].begin;
            found.push_back(fit(begin, end));
            end = begin;
        }
        std::ranges::reverse(found);
        return found;
    }

    Times m_times;
    std::vector<std::vector<Cut>> m_best;
};

/// Up to halfway to the next measured size, in the logarithm.
void moveBorders(std::vector<CostSegment>& segments, Times times)
{
    for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
        const auto next = std::ranges::upper_bound(times, segments[i].upTo, {}, &MessageTime::bytes);
        segments[i].upTo = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(segments[i].upTo)) *
                                                      std::sqrt(static_cast<double>(next->bytes)));
    }
}

} // namespace

std::vector<CostSegment> fitCost(std::vector<MessageTime> times)
{
    std::erase_if(times, [](const MessageTime& time) { return !(time.seconds > 0) || time.bytes == 0; });
    std::ranges::sort(times, {}, &MessageTime::bytes);
    const auto again = std::ranges::unique(times, {}, &MessageTime::bytes); // a border lies between two sizes
    times.erase(again.begin(), again.end());
    std::vector<CostSegment> segments;
    if (times.empty())
        return segments;
    for (const Piece& piece : Cutter(times).best())
        segments.push_back(piece.cost);
    moveBorders(segments, times);
    return segments;
}

double secondsFor(std::span<const CostSegment> segments, std::uint64_t bytes)
{
    if (bytes == 0 || segments.empty())
        return 0;
    const auto found = std::ranges::lower_bound(segments, bytes, {}, &CostSegment::upTo);
    const CostSegment& cost = found == segments.end() ? segments.back() : *found;
    return cost.latency + static_cast<double>(bytes) * cost.perByte;
}

double asymptoticBandwidth(std::span<const CostSegment> segments)
{
    return segments.empty() || segments.back().perByte <= 0 ? 0 : 1 / segments.back().perByte;
}

double worstError(std::span<const CostSegment> segments, std::span<const MessageTime> times)
{
    double worst = 0;
    for (const MessageTime& time : times)
        if (time.seconds > 0)
            worst = std::max(worst, std::abs(secondsFor(segments, time.bytes) / time.seconds - 1));
    return worst;
}

} // namespace ringside::model
