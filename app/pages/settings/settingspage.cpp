// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/settings/settingspage.h"

#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/session/translations.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/card.h"
#include "app/widgets/labels.h"
#include "app/widgets/segmentedcontrol.h"
#include "app/widgets/styled.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>

namespace ringside {

namespace {

constexpr int kColumn = 640; // px at 100 % text

QFormLayout* formOf(Card& card)
{
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(space::kField);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    card.body()->addLayout(form);
    return form;
}

void addField(QFormLayout& form, const QString& label, QWidget* field)
{
    field->setAccessibleName(label);
    form.addRow(label, field);
}

QSpinBox* spinBox(int low, int high, int value, const QString& suffix = {})
{
    auto* box = new QSpinBox;
    box->setRange(low, high);
    box->setSuffix(suffix);
    box->setValue(value);
    box->setMinimumWidth(112);
    return box;
}

} // namespace

SettingsPage::SettingsPage(const PageContext& context)
    : Page(context)
{
    setTitle(tr("Settings"), tr("Changes apply at once."));
    auto* column = new QWidget;
    const auto fit = [column, &theme = context.theme] { column->setMaximumWidth(qRound(kColumn * theme.textScale())); };
    connect(&context.theme, &ThemeController::themeChanged, column, fit);
    fit();
    fillColumn(column, {appearanceCard(), notificationsCard(), databaseCard(), defaultsCard(), stretch()}, space::kGap);
    auto* scroll = new QScrollArea;
    scroll->setWidget(column);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    content()->addWidget(scroll, 1);
    connect(&context.session, &Session::accessChanged, this, [this] { showFolder(); });
}

QWidget* SettingsPage::appearanceCard()
{
    auto& preferences = context().preferences;
    auto* card = new Card(tr("Appearance"));
    auto* form = formOf(*card);
    auto* appearance = new SegmentedControl(tr("Theme"), {tr("System"), tr("Light"), tr("Dark")});
    appearance->setCurrent(int(preferences.appearance()));
    connect(appearance, &SegmentedControl::chosen, this,
            [&preferences](int chosen) { preferences.setAppearance(Appearance(chosen)); });
    connect(&preferences, &Preferences::appearanceChanged, this,
            [&preferences, appearance] { appearance->setCurrent(int(preferences.appearance())); });
    addField(*form, tr("Theme"), appearance);
    auto* font = new SegmentedControl(tr("Font"), {tr("Ringside's"), tr("The desktop's")});
    font->setCurrent(int(preferences.font()));
    connect(font, &SegmentedControl::chosen, this,
            [&preferences](int chosen) { preferences.setFont(FontChoice(chosen)); });
    addField(*form, tr("Font"), font);
    auto* size = spinBox(90, 130, preferences.textPercent(), tr(" %", "percent sign after a number, with its space"));
    size->setSingleStep(10);
    connect(size, &QSpinBox::valueChanged, this, [&preferences](int percent) { preferences.setTextPercent(percent); });
    addField(*form, tr("Text size"), size);
    addField(*form, tr("Language"), languageChoice());
    return card;
}

QWidget* SettingsPage::languageChoice()
{
    auto& preferences = context().preferences;
    auto* choice = new QComboBox;
    choice->addItem(tr("The system's"), QString());
    for (const QString& language : bundledLanguages())
        choice->addItem(QLocale(language).nativeLanguageName(), language);
    choice->setCurrentIndex(qMax(0, choice->findData(preferences.language())));
    connect(choice, &QComboBox::activated, this,
            [&preferences, choice] { preferences.setLanguage(choice->currentData().toString()); });
    return choice;
}

QWidget* SettingsPage::notificationsCard()
{
    auto& preferences = context().preferences;
    auto* card = new Card(tr("Notifications"));
    auto* box = new QCheckBox(tr("Tell me on the desktop when an experiment ends or a run fails"));
    box->setChecked(preferences.desktopNotifications());
    connect(box, &QCheckBox::toggled, this,
            [&preferences](bool wanted) { preferences.setDesktopNotifications(wanted); });
    card->body()->addWidget(box);
    return card;
}

QWidget* SettingsPage::databaseCard()
{
    auto* card = new Card(tr("Database folder"));
    auto* choose = new QPushButton(tr("Choose folder…"));
    connect(choose, &QPushButton::clicked, this, [this] { chooseFolder(); });
    m_folder = makeParagraph(LabelKind::text);
    m_folder->setTextInteractionFlags(Qt::TextSelectableByMouse);
    card->body()->addLayout(makeRow({{m_folder, 1}, choose}));
    card->body()->addWidget(makeParagraph(
        LabelKind::caption,
        tr("On a network file system: not possible, choose a local one. Existing runs stay where they are.")));
    showFolder();
    return card;
}

QWidget* SettingsPage::defaultsCard()
{
    auto& preferences = context().preferences;
    auto* card = new Card(tr("Defaults of new experiments and figures"));
    auto* form = formOf(*card);
    auto* repeats = spinBox(1, 100, preferences.repeats());
    connect(repeats, &QSpinBox::valueChanged, this, [&preferences](int value) { preferences.setRepeats(value); });
    addField(*form, tr("Repeats per configuration"), repeats);
    form->addRow(QString(), makeLabel(LabelKind::caption, tr("6 are the fewest for a 95 % interval.")));
    auto* warmup = spinBox(0, 10'000, preferences.warmup());
    connect(warmup, &QSpinBox::valueChanged, this, [&preferences](int value) { preferences.setWarmup(value); });
    addField(*form, tr("Warm-up iterations"), warmup);
    auto* width = new SegmentedControl(tr("Figure width"), {tr("One column, 88.9 mm"), tr("Two columns, 182 mm")});
    width->setCurrent(preferences.figureWidthMm() > 100 ? 1 : 0);
    connect(width, &SegmentedControl::chosen, this,
            [&preferences](int chosen) { preferences.setFigureWidthMm(chosen == 0 ? 88.9 : 182); });
    addField(*form, tr("Figure width"), width);
    return card;
}

void SettingsPage::chooseFolder()
{
    auto* dialog = new QFileDialog(this, tr("Folder for the database"), toQt(context().session.store().parent_path()));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& folder) { context().preferences.setDatabaseFolder(folder); });
    dialog->open();
}

void SettingsPage::showFolder()
{
    m_folder->setText(shortPath(toQt(context().session.store().parent_path())));
}

} // namespace ringside
