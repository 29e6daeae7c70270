// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/exportdialog.h"

#include "app/figures/figureimage.h"
#include "app/figures/formats/format.h"
#include "app/pages/compare/paperpreview.h"
#include "app/session/preferences.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/card.h"
#include "app/widgets/labels.h"
#include "app/widgets/messagebar.h"
#include "app/widgets/segmentedcontrol.h"
#include "app/widgets/styled.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <algorithm>

namespace ringside {

namespace {

enum Columns
{
    kOne,
    kTwo,
    kCustom
};

/// Keys of the folder in which folders of experiments are made, and of the last folder of each experiment's figures.
const QString kFolderKey = QStringLiteral("export/folder"), kFoldersKey = QStringLiteral("export/folders");

/// Keys of the choices for the figure that was exported last.
const QString kOptionsKey = QStringLiteral("export/options"), kColumnsKey = QStringLiteral("columns"),
              kWidthKey = QStringLiteral("width"), kDefaultKey = QStringLiteral("default"),
              kHeightKey = QStringLiteral("height"), kTextKey = QStringLiteral("text"),
              kLettersKey = QStringLiteral("letters"), kFilesKey = QStringLiteral("files");

/// Not every home has a folder for documents.
QString standardFolder()
{
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QDir(documents).exists() ? documents : QDir::homePath();
}

/// As a folder is called that holds the figures of one experiment: files of several have the same names.
QString folderName(const QString& experiment)
{
    QString name = experiment;
    name.replace(QLatin1Char('/'), QLatin1Char('-'));
    return name.startsWith(QLatin1Char('.')) ? QLatin1Char('_') + name : name;
}

QString folderFor(const Preferences& preferences, const QString& experiment)
{
    const QString last = preferences.windowValue(kFoldersKey).toMap().value(experiment).toString();
    if (!last.isEmpty())
        return last;
    const QString parent = preferences.windowValue(kFolderKey).toString();
    return QDir(parent.isEmpty() ? standardFolder() : parent).filePath(folderName(experiment));
}

void keepFolder(Preferences& preferences, const QString& experiment, const QString& folder)
{
    const QDir chosen(folder);
    QVariantMap folders = preferences.windowValue(kFoldersKey).toMap();
    folders[experiment] = folder;
    preferences.setWindowValue(kFoldersKey, folders);
    const bool isItsOwn = chosen.dirName() == folderName(experiment);
    preferences.setWindowValue(kFolderKey, isItsOwn ? QFileInfo(chosen.absolutePath()).path() : folder);
}

QDoubleSpinBox* makeSpin(double low, double high, double step, const QString& suffix)
{
    auto* spin = new QDoubleSpinBox;
    spin->setRange(low, high);
    spin->setSingleStep(step);
    spin->setDecimals(1);
    spin->setSuffix(suffix);
    return spin;
}

} // namespace

ExportDialog::ExportDialog(const PageContext& context, ExportContent content, QWidget* parent)
    : WorkingDialog("export", parent)
    , m_context(context)
    , m_content(std::move(content))
    , m_preview(new PaperPreview(context.theme, m_content.figure))
    , m_columns(new SegmentedControl(tr("Width"), {tr("One column"), tr("Two columns"), tr("Custom")}))
    , m_width(makeSpin(40, 400, 1, tr(" mm")))
    , m_height(makeSpin(0, 300, 1, tr(" mm")))
    , m_text(makeSpin(8, 14, 0.5, tr(" pt")))
    , m_fonts(new QComboBox)
    , m_caption(new QPlainTextEdit)
    , m_folder(new QLineEdit)
    , m_size(makeLabel(LabelKind::caption))
    , m_message(new MessageBar(context.theme))
{
    setWindowTitle(tr("Export figure"));
    resize(1120, 720);
    auto* sides = makeRow({{makePreviewSide(), 1}, makeOptionsSide()}, 20);
    fillColumn(this, {{sides, 1}, m_message, makeButtons()}, space::kGap, {20, 16, 20, 16});
    connect(m_message, &MessageBar::dismissed, this, &ExportDialog::withdrawQuestion);
    m_columns->setCurrent(context.preferences.figureWidthMm() > figures::kOneColumnMm ? kTwo : kOne);
    takeUpOptions();
    refresh();
    m_export->setFocus();
}

QWidget* ExportDialog::makePreviewSide()
{
    auto* side = new QWidget;
    auto* seen = new QComboBox;
    seen->setAccessibleName(tr("Preview as seen"));
    seen->addItems({tr("As printed"), tr("Grayscale"), tr("Colour-blind (deutan)")});
    m_size->setAlignment(Qt::AlignCenter);
    auto* captionLabel = makeLabel(LabelKind::strong, tr("Caption, goes into caption.txt"));
    auto* reset = link(new QPushButton(tr("Reset")));
    m_caption->setPlainText(toQt(m_content.figure.caption));
    m_caption->setMaximumHeight(96);
    m_caption->setTabChangesFocus(true);
    captionLabel->setBuddy(m_caption);
    m_caption->setAccessibleName(tr("Caption"));
    auto* head = makeRow({{makeLabel(LabelKind::cardTitle, tr("Preview")), 1}, seen});
    fillColumn(side, {head, {m_preview, 1}, m_size, makeRow({{captionLabel, 1}, reset}), m_caption}, space::kField);
    connect(reset, &QPushButton::clicked, this, [this] { m_caption->setPlainText(toQt(m_content.figure.caption)); });
    connect(m_caption, &QPlainTextEdit::textChanged, this, &ExportDialog::withdrawQuestion);
    connect(seen, &QComboBox::activated, m_preview,
            [this](int index) { m_preview->setSeen(PaperPreview::Seen(index)); });
    return side;
}

QWidget* ExportDialog::makeOptionsSide()
{
    auto* card = new Card;
    card->setMinimumWidth(352);
    addSize(*card->body());
    card->body()->addWidget(makeRule());
    addFiles(*card->body());
    card->body()->addWidget(makeRule());
    addFolder(*card->body());
    card->body()->addStretch();
    return card;
}

void ExportDialog::addSize(QVBoxLayout& layout)
{
    layout.addWidget(makeLabel(LabelKind::cardTitle, tr("Size")));
    layout.addWidget(m_columns);
    auto* form = new QFormLayout;
    form->addRow(tr("Width"), m_width);
    m_height->setSpecialValueText(tr("as needed"));
    form->addRow(tr("Height"), m_height);
    form->addRow(tr("Text"), m_text);
    m_fonts->addItems({tr("Embedded fonts"), tr("Outlines")});
    form->addRow(tr("Letters"), m_fonts);
    layout.addLayout(form);
    connect(m_columns, &SegmentedControl::chosen, this, &ExportDialog::refresh);
    for (QDoubleSpinBox* spin : {m_width, m_height, m_text})
        connect(spin, &QDoubleSpinBox::valueChanged, this, &ExportDialog::refresh);
    connect(m_fonts, &QComboBox::activated, this, &ExportDialog::refresh);
}

void ExportDialog::addFiles(QVBoxLayout& layout)
{
    layout.addWidget(makeLabel(LabelKind::cardTitle, tr("Files")));
    for (const ExportFile& file : exportFiles(m_content.figure)) {
        auto* box = new QCheckBox(toQt(file.name));
        box->setChecked(file.format->isTicked);
        layout.addLayout(makeRow({{box, 1}, makeLabel(LabelKind::caption, toQt(file.format->remark(m_content)))}));
        m_files.emplace_back(file, box);
        connect(box, &QCheckBox::toggled, this, &ExportDialog::refresh);
    }
}

void ExportDialog::addFolder(QVBoxLayout& layout)
{
    layout.addWidget(makeLabel(LabelKind::cardTitle, tr("Folder")));
    m_folder->setText(folderFor(m_context.preferences, toQt(m_content.comparison.experiment)));
    m_folder->setAccessibleName(tr("Folder"));
    auto* choose = new QPushButton(tr("Choose…"));
    layout.addLayout(makeRow({{m_folder, 1}, choose}));
    connect(choose, &QPushButton::clicked, this, &ExportDialog::chooseFolder);
    connect(m_folder, &QLineEdit::textChanged, this, [this] {
        m_message->clear();
        withdrawQuestion();
        setStep(m_step); // without a folder nothing can be exported
    });
}

QWidget* ExportDialog::makeButtons()
{
    auto* row = new QWidget;
    auto* copy = new QPushButton(tr("Copy as image"));
    auto* cancel = new QPushButton(tr("Cancel"));
    auto* layout = fillRow(row, {stretch(), copy, cancel});
    m_replace = addAnswer(*layout, tr("Replace"), true);
    m_newNames = addAnswer(*layout, tr("New names"), false);
    m_export = new QPushButton(m_context.theme.icon(QStringLiteral("export"), Ink::onHighlight), {});
    layout->addWidget(m_export);
    primary(m_newNames);
    primary(m_export)->setDefault(true);
    connect(copy, &QPushButton::clicked, this, &ExportDialog::copyImage);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::start);
    return row;
}

QPushButton* ExportDialog::addAnswer(QHBoxLayout& row, const QString& text, bool replace)
{
    auto* button = new QPushButton(text);
    button->hide();
    row.addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, replace] { write(replace); });
    return button;
}

figures::PaperOptions ExportDialog::paper() const
{
    figures::PaperOptions options;
    options.size = {m_width->value(), m_height->value()};
    options.textPt = m_text->value();
    options.outlines = m_fonts->currentIndex() == 1;
    return options;
}

ExportRequest ExportDialog::request() const
{
    ExportRequest request;
    request.folder = typedPath(m_folder->text());
    request.paper = paper();
    request.caption = toUtf8(m_caption->toPlainText());
    for (const auto& [file, box] : m_files)
        if (box->isChecked())
            request.files.push_back(file);
    return request;
}

bool ExportDialog::canExport() const
{
    const ExportRequest wanted = request();
    return !wanted.files.empty() && !wanted.folder.empty();
}

void ExportDialog::refresh()
{
    if (!m_export)
        return;
    const int columns = m_columns->current();
    m_width->setEnabled(columns == kCustom);
    if (columns != kCustom) {
        const QSignalBlocker blocker(m_width);
        m_width->setValue(columns == kOne ? figures::kOneColumnMm : figures::kTwoColumnsMm);
    }
    m_preview->setPaper(paper());
    const figures::PaperSize size = m_preview->size();
    const QLocale locale;
    m_size->setText(tr("%1 × %2 mm · smallest text %3 pt")
                        .arg(locale.toString(size.widthMm, 'f', 1), locale.toString(size.heightMm, 'f', 1),
                             locale.toString(m_text->value(), 'f', 1)));
    m_export->setText(tr("Export %n file(s)", "", int(request().files.size())));
    withdrawQuestion();
    setStep(m_step);
}

/// As the last figure was exported; the width only as long as Settings asks for the same one as then.
void ExportDialog::takeUpOptions()
{
    const QVariantMap kept = m_context.preferences.windowValue(kOptionsKey).toMap();
    if (kept.isEmpty())
        return;
    if (kept.value(kDefaultKey).toDouble() == m_context.preferences.figureWidthMm()) {
        m_columns->setCurrent(std::clamp(kept.value(kColumnsKey).toInt(), int(kOne), int(kCustom)));
        m_width->setValue(kept.value(kWidthKey).toDouble());
    }
    m_height->setValue(kept.value(kHeightKey).toDouble());
    m_text->setValue(kept.value(kTextKey).toDouble());
    m_fonts->setCurrentIndex(kept.value(kLettersKey).toInt() == 1 ? 1 : 0);
    const QVariantMap files = kept.value(kFilesKey).toMap();
    for (const auto& [file, box] : m_files)
        box->setChecked(files.value(toQt(file.format->name), file.format->isTicked).toBool());
}

void ExportDialog::keepOptions() const
{
    Preferences& preferences = m_context.preferences;
    QVariantMap files = preferences.windowValue(kOptionsKey).toMap().value(kFilesKey).toMap(); // of other figures, too
    for (const auto& [file, box] : m_files)
        files[toQt(file.format->name)] = box->isChecked();
    preferences.setWindowValue(kOptionsKey, QVariantMap{{kColumnsKey, m_columns->current()},
                                                        {kWidthKey, m_width->value()},
                                                        {kDefaultKey, preferences.figureWidthMm()},
                                                        {kHeightKey, m_height->value()},
                                                        {kTextKey, m_text->value()},
                                                        {kLettersKey, m_fonts->currentIndex()},
                                                        {kFilesKey, files}});
}

void ExportDialog::setStep(Step step)
{
    m_step = step;
    const bool asking = step == Step::asking;
    m_export->setVisible(!asking);
    m_export->setEnabled(step == Step::choosing && canExport());
    m_replace->setVisible(asking);
    m_newNames->setVisible(asking);
    (asking ? m_newNames : m_export)->setDefault(true);
}

/// It was about other files.
void ExportDialog::withdrawQuestion()
{
    if (m_step != Step::asking)
        return;
    m_message->clear();
    setStep(Step::choosing);
}

void ExportDialog::chooseFolder()
{
    auto* dialog = new QFileDialog(this, tr("Folder for the figure"), m_folder->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, m_folder, &QLineEdit::setText);
    dialog->open();
}

void ExportDialog::start()
{
    m_wanted = request();
    setStep(Step::working);
    runInBackground([wanted = m_wanted] { return existingFiles(wanted); },
                    [this](const std::vector<std::string>& existing) {
                        if (!isClosed())
                            existing.empty() ? write(false) : ask(existing);
                    });
}

void ExportDialog::ask(const std::vector<std::string>& existing)
{
    QStringList names;
    for (const std::string& name : existing)
        names << toQt(name);
    m_message->setMessage(
        {.severity = Severity::warning,
         .text = tr("%n file(s) exist: %1", "", int(existing.size())).arg(names.join(QStringLiteral(", ")))});
    setStep(Step::asking);
    m_newNames->setFocus(Qt::OtherFocusReason); // the answer that changes no file
}

void ExportDialog::write(bool replace)
{
    m_wanted.replace = replace;
    m_message->clear();
    setStep(Step::working);
    runInBackground([content = m_content, wanted = m_wanted] { return writeExport(content, wanted); },
                    [this](const ExportOutcome& outcome) { finish(outcome); });
}

void ExportDialog::finish(const ExportOutcome& outcome)
{
    setStep(Step::choosing);
    if (!outcome.written.empty()) {
        keepFolder(m_context.preferences, toQt(m_content.comparison.experiment), toQt(m_wanted.folder));
        keepOptions();
    }
    if (!outcome.errors.empty())
        return showFailure(outcome);
    m_context.shell.notify(
        {Severity::done,
         tr("%n file(s) exported to %1.", "", int(outcome.written.size())).arg(shortPath(toQt(m_wanted.folder))),
         {},
         {},
         {}},
        true);
    accept();
}

/// In the dialog, where another folder can be chosen, or in the window once that is closed.
void ExportDialog::showFailure(const ExportOutcome& outcome)
{
    QString text = messageOf(outcome.errors.front());
    if (!outcome.written.empty())
        text += QLatin1Char(' ') + tr("The other %n file(s) are there.", "", int(outcome.written.size()));
    if (isClosed())
        return m_context.shell.notify({.severity = Severity::error, .text = text}, true);
    m_message->setMessage({Severity::error, text, tr("Choose folder…"), [this] { chooseFolder(); }, {}});
    m_export->setFocus();
}

void ExportDialog::copyImage()
{
    QApplication::clipboard()->setImage(figures::figureImage(m_content.figure, paper()));
}

} // namespace ringside
