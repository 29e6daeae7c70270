// SPDX-License-Identifier: MIT
#include "agent/worker/data/noise.h"

#include "agent/worker/data/random.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace ringside {

namespace {

using Complex = std::complex<float>;
constexpr int kSize = NoiseField::kSize;

/// e^(2πi k / kSize).
const std::vector<Complex>& roots()
{
    static const std::vector<Complex> table = [] {
        std::vector<Complex> roots(kSize);
        for (int k = 0; k < kSize; ++k)
            roots[k] = Complex(std::polar(1.0, 2 * std::numbers::pi * k / kSize));
        return roots;
    }();
    return table;
}

/// Product without the checks for infinities that operator* makes.
Complex times(Complex a, Complex b)
{
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Inverse Fourier transform of kSize values in place, unscaled (Cooley and Tukey 1965, radix 2).
void transform(Complex* values)
{
    for (int i = 1, j = 0; i < kSize; ++i) {
        int bit = kSize >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j)
            std::swap(values[i], values[j]);
    }
    for (int length = 2; length <= kSize; length *= 2)
        for (int start = 0; start < kSize; start += length)
            for (int k = 0; k < length / 2; ++k) {
                const Complex odd = times(values[start + k + length / 2], roots()[k * (kSize / length)]);
                values[start + k + length / 2] = values[start + k] - odd;
                values[start + k] += odd;
            }
}

void transpose(std::vector<Complex>& plane)
{
    for (int y = 0; y < kSize; ++y)
        for (int x = 0; x < y; ++x)
            std::swap(plane[y * kSize + x], plane[x * kSize + y]);
}

void transformPlane(std::vector<Complex>& plane)
{
    for (int side = 0; side < 2; ++side) {
        for (int y = 0; y < kSize; ++y)
            transform(plane.data() + y * kSize);
        transpose(plane);
    }
}

/// White complex noise, each frequency divided by its distance from zero.
std::vector<Complex> spectrum(std::uint64_t seed)
{
    const auto frequency = [](int i) { return float(i < kSize / 2 ? i : i - kSize); };
    std::vector<Complex> plane(kSize * kSize);
    for (int i = 1; i < kSize * kSize; ++i) {
        Random random(seed, i);
        const float radius = std::hypot(frequency(i % kSize), frequency(i / kSize));
        const float angle = float(random.between(0, 2 * std::numbers::pi));
        plane[i] = std::polar(float(std::sqrt(-std::log(1 - random.unit()))) / radius, angle);
    }
    return plane;
}

NoiseField normalised(std::vector<float> values)
{
    double squares = 0;
    for (const float value : values)
        squares += double(value) * value; // the mean is 0: frequency 0 is left out
    const float scale = float(1 / std::sqrt(squares / double(values.size())));
    for (float& value : values)
        value *= scale;
    return NoiseField(std::move(values));
}

} // namespace

std::vector<NoiseField> makeNoiseFields(int pairs, std::uint64_t seed)
{
    std::vector<NoiseField> fields;
    std::vector<float> real(kSize * kSize);
    std::vector<float> imaginary(kSize * kSize);
    for (int pair = 0; pair < pairs; ++pair) {
        std::vector<Complex> plane = spectrum(randomBits(seed, pair));
        transformPlane(plane);
        std::transform(plane.begin(), plane.end(), real.begin(), [](Complex value) { return value.real(); });
        std::transform(plane.begin(), plane.end(), imaginary.begin(), [](Complex value) { return value.imag(); });
        fields.push_back(normalised(real));
        fields.push_back(normalised(imaginary));
    }
    return fields;
}

} // namespace ringside
