// SPDX-License-Identifier: GPL-3.0-or-later
// A site's performance, as it was measured there, and the way to measure it (again): a run like any other, which this
// card launches, follows and can stop. Shows what the store holds, from any measurement.
#pragma once

#include "app/session/jobtracker.h"
#include "app/shell/shell.h"
#include "app/widgets/card.h"

#include "core/base/error.h"
#include "core/planning/calibrationrun.h"
#include "core/store/canaries.h"

#include <QSet>
#include <map>
#include <optional>

class QComboBox;
class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace ringside {

class FigureView;
class SegmentedControl;
struct SampleBatch;

class CalibrationCard : public Card
{
    Q_OBJECT
public:
    explicit CalibrationCard(const PageContext& context);

    /// `isUsable`: runs could be launched there, were there contact.
    void showSite(const QString& site, bool isUsable);
    /// A measurement there was asked for, and its campaign may not be stored yet.
    bool isBeginning(const QString& site) const { return m_beginning.contains(site); }

Q_SIGNALS:
    /// A measurement that was asked for here did not come about, or what is stored cannot be read, and why.
    void failed(const ringside::Error& error);

private:
    struct Stored
    {
        std::vector<store::SiteCalibration> calibrations; ///< newest first
        std::vector<store::RunRow> runs;                  ///< of the site's experiment of calibrations
    };

    void build();
    QWidget* chart();
    void follow();
    void ask();
    void takeRuns(const std::vector<store::RunRow>& rows);
    void apply(Stored stored);
    void showShapes(const std::vector<store::SiteCalibration>& before);
    void showKnown();
    void showChart();
    void showRunning();
    void countSteps(const std::vector<SampleBatch>& batches);
    void pressed();
    void askShape();
    void begin(const spec::CalibrationShape& shape);
    void ended(const QString& site, const Error& error);
    void stop();
    void reportEnd();
    QString whyNot() const;
    const store::RunRow* running() const;
    const store::SiteCalibration* chosen() const;

    const PageContext& m_context;
    QString m_site;
    bool m_isUsable = false;
    Stored m_stored;
    bool m_isRead = false;           ///< what is stored of the site
    int m_steps = 0;                 ///< that the run under way has done
    QSet<QString> m_beginning;       ///< sites whose launch is not answered
    QSet<QString> m_stopping;        ///< asked to end
    std::map<QString, int> m_wanted; ///< the repeat that was launched here, of each site

    QComboBox* m_shape;
    QPushButton* m_button;
    QWidget* m_progress;
    QLabel* m_state;
    QProgressBar* m_bar;
    QLabel* m_empty;
    QWidget* m_content;
    QLabel* m_flags;
    QFormLayout* m_rows;
    QWidget* m_chart = nullptr;
    SegmentedControl* m_measure = nullptr;
    FigureView* m_view = nullptr;
    JobTracker m_job; // last: it drops an answer that comes too late
};

} // namespace ringside
