// SPDX-License-Identifier: MIT
// A site whose tools are scripts of a few lines, so that what can be wrong with them can be had in milliseconds.
#pragma once

#include "agent/builder/builder.h"
#include "tests/support/searchpath.h"
#include "tests/support/temporaryfolder.h"

#include <map>
#include <vector>

namespace ringside::test {

class FakeSite
{
public:
    /// With everything a build needs: g++ 12.2.0, cmake 3.25.1, make, and a torch 2.11.0 of no content.
    FakeSite();

    fs::path root() const { return m_folder / "root"; }
    fs::path bin() const { return m_folder / "bin"; }
    fs::path torch() const { return m_folder / "torch"; }
    /// A program of this name in PATH, as a script for sh.
    void program(const std::string& name, const std::string& script) const;
    void remove(const std::string& name) const;
    /// A torch without content there, of this version.
    void makeTorch(const fs::path& folder, const std::string& version) const;

    builder::BuildOptions options() const;
    Result<builder::BuiltWorker> build() { return build(options()); }
    Result<builder::BuiltWorker> build(const builder::BuildOptions& options);
    /// Lines "phase percent" of the last build.
    std::vector<std::string> told;
    /// From now on a build goes no further than its first file, until it may.
    void holdBuilds() const;
    void letBuildsEnd() const;
    /// From now on a build makes the CUDA plug-in, too.
    void haveCuda() const;
    /// Returns how often cmake was asked to compile.
    int compilations() const;

private:
    TemporaryFolder m_folder;
    SearchPath m_path{bin()}; ///< no program of another folder is found
};

} // namespace ringside::test
