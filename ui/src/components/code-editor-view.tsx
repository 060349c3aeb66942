// The editor behind CodeEditor. In a separate module, because it is large and most screens never need it.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers, placeholder as placeholderOf } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useEffectEvent, useRef } from "react";
import { styleNonce } from "@/lib/nonce";
import { codePointName } from "@/lib/untrusted";
import type { CodeEditorProps, Mistake } from "./code-editor";

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--info)" },
  { tag: tags.string, color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--wait)" },
  { tag: tags.punctuation, color: "var(--text-3)" },
]);

const look = EditorView.theme({
  "&": { fontSize: "12px", backgroundColor: "transparent", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono, monospace)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "transparent", border: "none", color: "var(--text-3)" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 8px", minWidth: "28px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 26%, transparent) !important",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft) !important", outline: "none" },
  ".cm-placeholder": { color: "var(--text-hint)", fontStyle: "italic", whiteSpace: "pre-wrap" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)", textUnderlineOffset: "3px" },
  ".cm-lintPoint-warning::after": { borderBottomColor: "var(--warn)" },
  ".cm-lint-marker-warning": {
    content: "''",
    width: "8px",
    height: "8px",
    margin: "4px 2px",
    borderRadius: "4px",
    backgroundColor: "var(--warn)",
  },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warn)", padding: "4px 8px" },
  ".cm-lintPoint-error::after": { borderBottomColor: "var(--bad)" },
  ".cm-lint-marker-error": {
    content: "''",
    width: "8px",
    height: "8px",
    margin: "4px 2px",
    borderRadius: "4px",
    backgroundColor: "var(--bad)",
  },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "5px",
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    boxShadow: "var(--shadow-float)",
  },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)", padding: "4px 8px" },
  ".cm-specialChar": {
    margin: "0 1px",
    padding: "0 2px",
    borderRadius: "3px",
    fontSize: "11px",
    backgroundColor: "var(--warn-soft)",
    color: "var(--warn)",
  },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--warn) 40%, transparent)" },
  ".cm-textfield, .cm-button": {
    border: "1px solid var(--line-strong)",
    borderRadius: "5px",
    background: "var(--surface)",
    color: "var(--text)",
    padding: "2px 6px",
  },
});

/** Shows invisible and reordering characters here too. Joiners stay, because ordinary text needs them. */
const hidden = highlightSpecialChars({
  addSpecialChars: /[\u115f\u1160\u180e\u2028\u2029\u202a-\u202e\u2060-\u206f\u2800\u3164\uffa0\u{e0000}-\u{e0fff}]/u,
  render: (code) => {
    const mark = document.createElement("span");
    mark.className = "cm-specialChar";
    mark.textContent = mark.ariaLabel = codePointName(code);
    return mark;
  },
});

function offset(text: Text, mistake: Pick<Mistake, "line" | "column">): number {
  const line = text.line(Math.min(Math.max(1, mistake.line), text.lines));
  // Columns count characters, and the editor counts UTF-16 units.
  const before = Array.from(line.text)
    .slice(0, Math.max(0, mistake.column - 1))
    .join("");
  return line.from + Math.min(before.length, line.length);
}

function marks(text: Text, mistakes: readonly Mistake[]): Diagnostic[] {
  return mistakes.map((mistake) => {
    const from = offset(text, mistake);
    const to = offset(text, { line: mistake.line, column: mistake.column + (mistake.length ?? 1) });
    return { from, to: Math.max(from, to), severity: mistake.severity ?? "error", message: mistake.message };
  });
}

/** The editor itself. It owns its text, and an external `value` only replaces it if it differs. */
export function CodeEditorView({
  value,
  onChange,
  label,
  mistakes,
  placeholder,
  readOnly = false,
  minHeight = 160,
  maxHeight = "420px",
  fill = false,
  takeFocus = false,
  onReady,
}: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const changed = useEffectEvent((text: string) => onChange(text));
  const ready = useEffectEvent((goTo: (line: number, column: number) => void) => onReady?.(goTo));
  const first = useEffectEvent(() => ({ value, takeFocus, label, placeholder, readOnly, minHeight, maxHeight, fill }));
  const writing = useRef(new Compartment());

  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    const start = first();
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: start.value,
        extensions: [
          ...(styleNonce === undefined ? [] : [EditorView.cspNonce.of(styleNonce)]),
          keymap.of([
            // It runs the call, and must not add a line, even if nothing can be run.
            { key: "Mod-Enter", run: () => true },
            // Escape first returns the focus to the page, so that Tab isn't trapped.
            {
              key: "Escape",
              run: (target) => {
                target.contentDOM.blur();
                return false;
              },
            },
            ...searchKeymap,
            ...historyKeymap,
            indentWithTab,
            ...defaultKeymap,
          ]),
          hidden,
          history(),
          drawSelection(),
          lineNumbers(),
          bracketMatching(),
          indentOnInput(),
          highlightSelectionMatches(),
          search({ top: true }),
          lintGutter(),
          json(),
          syntaxHighlighting(colours),
          look,
          EditorView.lineWrapping,
          EditorState.tabSize.of(2),
          EditorView.contentAttributes.of({
            "aria-label": start.label,
            tabindex: "0",
            spellcheck: "false",
            autocorrect: "off",
            autocapitalize: "off",
          }),
          EditorView.theme(
            start.fill
              ? { "&": { height: "100%" } }
              : { ".cm-scroller": { minHeight: `${start.minHeight}px`, maxHeight: start.maxHeight } },
          ),
          ...(start.placeholder === undefined ? [] : [placeholderOf(start.placeholder)]),
          writing.current.of(EditorState.readOnly.of(start.readOnly)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    if (start.takeFocus) editor.focus();
    ready((line, column) => {
      const anchor = offset(editor.state.doc, { line, column });
      editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      editor.focus();
    });
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, marks(editor.state.doc, mistakes ?? [])));
  }, [mistakes]);

  useEffect(() => {
    view.current?.dispatch({ effects: writing.current.reconfigure(EditorState.readOnly.of(readOnly)) });
  }, [readOnly]);

  return <div ref={host} className={fill ? "min-h-0 flex-1" : undefined} />;
}
