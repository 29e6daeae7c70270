// SPDX-License-Identifier: MIT
// File descriptors with an owner.
#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace ringside {

class Descriptor
{
public:
    Descriptor() = default;
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
    Descriptor(Descriptor&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~Descriptor() { close(); }

    int get() const { return m_fd; }
    /// For a callee that closes it itself.
    int release() { return std::exchange(m_fd, -1); }
    void close()
    {
        if (m_fd >= 0)
            ::close(std::exchange(m_fd, -1));
    }

private:
    int m_fd = -1;
};

/// Programs that are started do not inherit it. Without ends where none could be made; errno says why.
struct Pipe
{
    Pipe()
    {
        if (int ends[2]; ::pipe2(ends, O_CLOEXEC) == 0) {
            output = Descriptor(ends[0]);
            input = Descriptor(ends[1]);
        }
    }
    Descriptor output; ///< to read from
    Descriptor input;  ///< to write to
};

} // namespace ringside
