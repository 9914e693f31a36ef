#include "cli/line_editor.hpp"

#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/utf8.hpp"
#include "cli/wide_text.hpp"

namespace cellblock::cli {
namespace {

constexpr int kHistorySize = 1000;
constexpr std::size_t kIndentWidth = 4;
constexpr std::size_t kMaxListed = 200;
constexpr std::wstring_view kPasteEnd = L"\x1b[201~";

void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) std::setlocale(LC_CTYPE, "C.UTF-8");
}

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void list_in_columns(const std::vector<std::string>& names) {
  std::size_t widest = 0;
  const std::size_t shown = std::min(names.size(), kMaxListed);
  for (std::size_t i = 0; i < shown; ++i) widest = std::max(widest, to_wide(names[i]).size());
  const std::size_t columns = std::max<std::size_t>(1, terminal_width() / (widest + 2));
  std::string text = "\n";
  for (std::size_t i = 0; i < shown; ++i) {
    text += names[i];
    const bool line_end = (i + 1) % columns == 0 || i + 1 == shown;
    text += line_end ? "\n" : std::string(widest + 2 - to_wide(names[i]).size(), ' ');
  }
  if (shown < names.size()) {
    text += "(" + std::to_string(names.size() - shown) + " more)\n";
  }
  put(text);
}

}  // namespace

class LineEditor::Impl {
 public:
  Impl(Signals& signals, Completer completer);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Got read(std::string_view prompt, std::string_view indent, std::string& line);
  void add_history(std::string_view entry);

 private:
  static Impl& of(EditLine* editor);
  static wchar_t* prompt(EditLine* editor) { return of(editor).prompt_.data(); }
  static int read_character(EditLine* editor, wchar_t* character);
  static unsigned char complete(EditLine* editor, int /*key*/);
  static unsigned char paste(EditLine* editor, int /*key*/);

  bool read_byte(char& byte);
  bool handle_signals();
  unsigned char complete_here();

  Signals& signals_;
  Completer completer_;
  EditLine* editor_;
  HistoryW* history_;
  std::wstring prompt_;
  bool can_bracket_;
  bool interrupted_ = false;
  bool more_waits_ = false;  // when the last line ended
};

LineEditor::Impl::Impl(Signals& signals, Completer completer)
    : signals_(signals), completer_(std::move(completer)) {
  use_utf8();
  const char* term = std::getenv("TERM");
  can_bracket_ = term != nullptr && std::string_view(term) != "dumb";
  editor_ = el_init("cellblock", stdin, stdout, stderr);
  history_ = history_winit();
  HistEventW event{};
  history_w(history_, &event, H_SETSIZE, kHistorySize);
  history_w(history_, &event, H_SETUNIQUE, 1);

  el_wset(editor_, EL_CLIENTDATA, this);
  el_wset(editor_, EL_SIGNAL, 0);
  el_wset(editor_, EL_PROMPT, &Impl::prompt);
  el_wset(editor_, EL_HIST, history_w, history_);
  el_wset(editor_, EL_GETCFN, &Impl::read_character);
  el_wset(editor_, EL_EDITOR, L"emacs");
  el_wset(editor_, EL_ADDFN, L"cellblock-complete", L"Complete from the session", &Impl::complete);
  el_wset(editor_, EL_BIND, L"^I", L"cellblock-complete", nullptr);
  el_wset(editor_, EL_BIND, L"^R", L"em-inc-search-prev", nullptr);
  el_wset(editor_, EL_ADDFN, L"cellblock-paste", L"Insert pasted text as it is", &Impl::paste);
  el_wset(editor_, EL_BIND, L"\x1b[200~", L"cellblock-paste", nullptr);
  el_source(editor_, nullptr);
}

LineEditor::Impl::~Impl() {
  el_end(editor_);
  history_wend(history_);
}

LineEditor::Impl& LineEditor::Impl::of(EditLine* editor) {
  void* self = nullptr;
  el_wget(editor, EL_CLIENTDATA, &self);
  return *static_cast<Impl*>(self);
}

LineEditor::Got LineEditor::Impl::read(std::string_view prompt, std::string_view indent,
                                       std::string& line) {
  prompt_ = to_wide(prompt);
  interrupted_ = false;
  if (!indent.empty() && !more_waits_) el_wpush(editor_, to_wide(indent).c_str());
  if (can_bracket_) put("\x1b[?2004h");
  // libedit may show its prompt before it takes the terminal over; what is typed in between would
  // be edited by the terminal.
  el_wset(editor_, EL_PREP_TERM, 1);
  int count = 0;
  const wchar_t* text = el_wgets(editor_, &count);
  if (can_bracket_) put("\x1b[?2004l");
  if (interrupted_) {
    put("^C\n");
    return Got::interrupted;
  }
  if (text == nullptr || count <= 0) {
    put("\n");
    return Got::end;
  }
  line = to_utf8(std::wstring_view(text, static_cast<std::size_t>(count)));
  if (line.ends_with('\n')) line.pop_back();
  return Got::line;
}

void LineEditor::Impl::add_history(std::string_view entry) {
  HistEventW event{};
  history_w(history_, &event, H_ENTER, to_wide(entry).c_str());
}

// 1, or 0 at the end of input, or -1 when interrupted; libedit's words.
int LineEditor::Impl::read_character(EditLine* editor, wchar_t* character) {
  Impl& self = of(editor);
  std::string bytes;
  do {
    char byte = 0;
    if (!self.read_byte(byte)) return self.interrupted_ ? -1 : 0;
    // The terminal's word for a Ctrl-D that was typed while a cell ran; for libedit a command.
    if (byte != '\0') bytes.push_back(byte);
  } while (bytes.empty() || base::incomplete_tail(bytes) != 0);
  *character = to_wide(bytes).front();
  if (bytes == "\r" || bytes == "\n") {
    pollfd wait{STDIN_FILENO, POLLIN, 0};
    self.more_waits_ = ::poll(&wait, 1, 0) > 0 && (wait.revents & POLLIN) != 0;
  }
  return 1;
}

bool LineEditor::Impl::read_byte(char& byte) {
  std::array<pollfd, 2> waits = {pollfd{STDIN_FILENO, POLLIN, 0},
                                 pollfd{signals_.wake_fd(), POLLIN, 0}};
  while (true) {
    const int ready = ::poll(waits.data(), waits.size(), -1);
    if (ready < 0 && errno != EINTR) return false;
    if (!handle_signals()) return false;
    if (ready <= 0 || waits[0].revents == 0) continue;
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count == 1) return true;
    if (count == 0 || (errno != EINTR && errno != EAGAIN)) return false;
  }
}

// False: reading ends.
bool LineEditor::Impl::handle_signals() {
  signals_.clear_wake();
  if (signals_.take_continued()) {
    // The shell has had the terminal in the meantime.
    el_wset(editor_, EL_PREP_TERM, 1);
    el_wset(editor_, EL_REFRESH);
  }
  if (signals_.take_resized()) el_resize(editor_);
  if (signals_.take_interrupts() > 0) interrupted_ = true;
  return !interrupted_ && signals_.ended_by() == 0;
}

unsigned char LineEditor::Impl::complete(EditLine* editor, int /*key*/) {
  return of(editor).complete_here();
}

unsigned char LineEditor::Impl::complete_here() {
  const LineInfoW* info = el_wline(editor_);
  const std::wstring_view line(info->buffer,
                               static_cast<std::size_t>(info->lastchar - info->buffer));
  const auto cursor = static_cast<std::size_t>(info->cursor - info->buffer);
  const auto line_start = line.substr(0, cursor).rfind(L'\n') + 1;
  if (line.substr(line_start, cursor - line_start).find_first_not_of(L" \t") ==
      std::wstring_view::npos) {
    const std::size_t column = cursor - line_start;
    el_winsertstr(editor_, std::wstring(kIndentWidth - column % kIndentWidth, L' ').c_str());
    return CC_REFRESH;
  }
  const std::string text = to_utf8(line);
  const CompletionStep step = plan_completion(completer_(text, cursor), text, cursor);
  if (!step.insert.empty()) {
    el_wdeletestr(editor_, static_cast<int>(step.remove));
    el_winsertstr(editor_, to_wide(step.insert).c_str());
    return CC_REFRESH;
  }
  if (step.list.empty()) return CC_ERROR;
  list_in_columns(step.list);
  return CC_REDISPLAY;
}

// A terminal that brackets what is pasted: it goes into the line with its newlines.
unsigned char LineEditor::Impl::paste(EditLine* editor, int /*key*/) {
  std::wstring text;
  wchar_t character = 0;
  while (!text.ends_with(kPasteEnd)) {
    if (read_character(editor, &character) != 1) return CC_ERROR;
    text.push_back(character == L'\r' ? L'\n' : character);
  }
  text.resize(text.size() - kPasteEnd.size());
  while (text.ends_with(L'\n')) text.pop_back();
  std::erase_if(text,
                [](wchar_t c) { return (c < 0x20 && c != L'\n' && c != L'\t') || c == 0x7f; });
  return el_winsertstr(editor, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

LineEditor::LineEditor(Signals& signals, Completer completer)
    : impl_(std::make_unique<Impl>(signals, std::move(completer))) {}

LineEditor::~LineEditor() = default;

LineEditor::Got LineEditor::read(std::string_view prompt, std::string_view indent,
                                 std::string& line) {
  return impl_->read(prompt, indent, line);
}

void LineEditor::add_history(std::string_view entry) { impl_->add_history(entry); }

}  // namespace cellblock::cli
