// SPDX-License-Identifier: MIT
#include "core/protocol/layout.h"

#include "core/base/text.h"
#include "core/base/words.h"

namespace ringside::layout {

namespace {

constexpr std::size_t kMaxRoot = 500;

bool isPlain(const std::string& text)
{
    return plainText(text) == text && text.find_first_of("\n\t") == std::string::npos;
}

} // namespace

Result<std::string> checkedRoot(const std::string& root)
{
    const std::string path = root.starts_with("~/") ? root.substr(2) : root;
    if (path.empty() || path.size() > kMaxRoot || path.front() == '-' || path.front() == '~' || !isPlain(path))
        return fail(ErrorCode::usage, Words::tr("“{}” cannot be a site's root.", plainText(root.substr(0, 80))),
                    Words::tr("Name a folder, absolute or relative to the home folder there, such as .ringside."));
    return fs::path(path).lexically_normal().string();
}

} // namespace ringside::layout
