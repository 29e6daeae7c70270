// SPDX-License-Identifier: GPL-3.0-or-later
// Edited forms that were left without saving, stored in the preferences, each by itself: several windows may be open,
// and none changes what another one has written. GUI thread.
#pragma once

#include "app/drafts/draft.h"

#include <QString>
#include <QVariantMap>
#include <optional>
#include <vector>

namespace ringside {

class Preferences;

/// Origin of the form's content.
struct DraftOrigin
{
    enum class Kind
    {
        fresh,  ///< "New experiment"
        text,   ///< a file, a template, a copy
        stored, ///< an experiment of the database
    };
    Kind kind = Kind::fresh;
    QString name = {};     ///< of the experiment; empty for a fresh one
    QString database = {}; ///< the chosen folder of the one that is stored there; empty: the data folder
    bool isStored() const { return kind == Kind::stored; }
    bool operator==(const DraftOrigin&) const = default;
};

/// A stored draft as this window has read or written it last.
struct DraftEntry
{
    QString id = {}; ///< empty: it has written none yet
    QVariantMap content = {};
};

struct KeptDraft
{
    DraftEntry entry;
    DraftOrigin origin;
    Draft base; ///< what was opened
    Draft draft;
};

class Drafts
{
public:
    explicit Drafts(Preferences& preferences)
        : m_preferences(preferences)
    {
    }

    /// Replaces `mine`, or adds an entry where another window has changed or removed it since; `mine` is that one then.
    /// `base` is the draft that was opened. A form that cannot be read again from its text, or no longer since the
    /// table of a system is gone, is found as Draft::toml beside what was opened.
    void keep(DraftEntry& mine, const DraftOrigin& origin, const Draft& base, const Draft& edited);
    /// The newest draft; of a text only if it was made from `base`: two files may have an experiment of one name. An
    /// experiment of the database, and what a new one begins with, may have changed meanwhile.
    std::optional<KeptDraft> find(const DraftOrigin& origin, const Draft& base) const;
    /// Removes `mine`, unless another window has changed it since.
    void forget(const DraftEntry& mine);
    /// Removes every window's: the experiment is gone.
    void forget(const DraftOrigin& origin);
    /// The experiment of this name in the database that is open: several may have one.
    DraftOrigin stored(const QString& experiment) const;
    bool isOfOpenDatabase(const DraftOrigin& origin) const;
    /// By origin and name.
    std::vector<KeptDraft> all() const;

private:
    std::vector<DraftEntry> entries() const;
    bool isAsKnown(const DraftEntry& mine) const;

    Preferences& m_preferences;
};

} // namespace ringside
