// SPDX-License-Identifier: MIT
#include "core/model/costfit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside::model {

namespace {

constexpr double kNoise = 0.02;         // relative error that is not worth a piece
constexpr double kBytesOfLongest = 0.5; // share of the longest message's time that its bytes take at least

using Times = std::span<const MessageTime>;

/// Weighted sums over a piece; the weight of a time is 1 / seconds², so x and y are bytes and seconds over seconds.
struct Sums
{
    double times = 0, w = 0, x = 0, xx = 0, y = 0, xy = 0;

    void add(const MessageTime& time)
    {
        const double y1 = 1 / time.seconds, x1 = static_cast<double>(time.bytes) / time.seconds;
        ++times;
        w += y1 * y1;
        x += x1 * y1;
        xx += x1 * x1;
        y += y1;
        xy += x1;
    }
};

/// Returns the sum of squares of the relative errors (latency + bytes · perByte) / seconds - 1. No term is much larger
/// than the number of times, as neither number of a cost is negative, so the sum is exact to far less than noise.
double squaredErrorOf(const CostSegment& cost, const Sums& s)
{
    const double a = cost.latency, b = cost.perByte;
    return std::max(0.0, a * a * s.w + 2 * a * b * s.x + b * b * s.xx - 2 * (a * s.y + b * s.xy) + s.times);
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
CostSegment lineThrough(const Sums& s, const MessageTime& longest, Place place)
{
    CostSegment cost{longest.bytes, 0, 0};
    const double determinant = s.w * s.xx - s.x * s.x;
    if (determinant > 1e-12 * s.w * s.xx) {
        cost.latency = (s.xx * s.y - s.x * s.xy) / determinant;
        cost.perByte = (s.w * s.xy - s.x * s.y) / determinant;
    } else {
        cost.latency = s.y / s.w; // one size
    }
    if (cost.latency < 0 || (place == Place::last && isFlat(cost, longest)))
        return {cost.upTo, 0, s.xy / s.xx};
    if (cost.perByte < 0)
        return {cost.upTo, s.y / s.w, 0};
    return cost;
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
            cutBefore(end);
    }

    std::vector<CostSegment> best() const
    {
        std::size_t chosen = 0;
        for (std::size_t k = 1; k < m_best.size(); ++k)
            if (criterion(k) < criterion(chosen))
                chosen = k;
        return pieces(chosen);
    }

private:
    CostSegment fit(const Sums& sums, std::size_t end) const
    {
        return lineThrough(sums, m_times[end - 1], end == m_times.size() ? Place::last : Place::between);
    }

    /// Lets the last piece grow from its end, so that its sums are added to and never subtracted from.
    void cutBefore(std::size_t end)
    {
        Sums sums;
        for (std::size_t begin = end; begin-- > 0;) {
            sums.add(m_times[begin]);
            const double error = squaredErrorOf(fit(sums, end), sums);
            if (begin == 0)
                m_best[0][end] = {error, 0};
            else if (end - begin >= kFewestTimes)
                for (std::size_t k = 1; k < m_best.size() && begin >= k * kFewestTimes; ++k)
                    if (const double all = m_best[k - 1][begin].error + error; all <= m_best[k][end].error)
                        m_best[k][end] = {all, begin};
        }
    }

    double criterion(std::size_t k) const
    {
        const double n = static_cast<double>(m_times.size()), numbers = 3 * static_cast<double>(k + 1) - 1;
        const double error = std::max(m_best[k].back().error / n, kNoise * kNoise);
        return n * std::log(error) + numbers * std::log(n);
    }

    std::vector<CostSegment> pieces(std::size_t k) const
    {
        std::vector<CostSegment> found;
        for (std::size_t end = m_times.size(); end > 0; --k) { // the first piece begins at 0
            const std::size_t begin = m_best[k][end].begin;
            Sums sums;
            for (const MessageTime& time : m_times.subspan(begin, end - begin))
                sums.add(time);
            found.push_back(fit(sums, end));
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
    if (times.empty())
        return {};
    std::vector<CostSegment> segments = Cutter(times).best();
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
