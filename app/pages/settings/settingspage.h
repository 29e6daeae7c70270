// SPDX-License-Identifier: GPL-3.0-or-later
// One column of choices, applied at once. No OK button.
#pragma once

#include "app/shell/page.h"

class QLabel;

namespace ringside {

class SettingsPage : public Page
{
    Q_OBJECT
public:
    explicit SettingsPage(const PageContext& context);

private:
    QWidget* appearanceCard();
    QWidget* notificationsCard();
    QWidget* databaseCard();
    QWidget* defaultsCard();
    QWidget* languageChoice();
    void chooseFolder();
    void showFolder();

    QLabel* m_folder = nullptr;
};

} // namespace ringside
