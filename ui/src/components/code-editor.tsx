import { lazy, Suspense } from "react";
import { cx } from "@/lib/cx";

/** A place in the text with what is wrong there; lines and columns count from one. */
export interface Mistake {
  line: number;
  column: number;
  message: string;
  /** How many characters of the line are concerned; one without it. */
  length?: number;
  severity?: "error" | "warning";
}

export interface CodeEditorProps {
  value: string;
  onChange: (value: string) => void;
  /** Its name for screen readers. */
  label: string;
  mistakes?: readonly Mistake[];
  placeholder?: string;
  readOnly?: boolean;
  /** Grows with its content from so many pixels to this length of CSS. */
  minHeight?: number;
  maxHeight?: string;
  /** Takes the height of its flex column instead. */
  fill?: boolean;
  /** Takes the keyboard when it appears. */
  takeFocus?: boolean;
  /** Given a way to move the cursor to a place in the text. */
  onReady?: (goTo: (line: number, column: number) => void) => void;
  className?: string;
}

const Editor = lazy(() => import("./code-editor-view").then((module) => ({ default: module.CodeEditorView })));

/** An editor for JSON: colours, bracket matching, search, undo, and marks where something is wrong. Loaded when first needed. */
export function CodeEditor(props: CodeEditorProps) {
  const { minHeight = 160, fill = false, className } = props;
  return (
    <div
      className={cx(
        "overflow-hidden rounded-m border border-line-strong bg-sunken focus-within:border-accent",
        fill && "flex min-h-0 flex-1 flex-col",
        className,
      )}
    >
      <Suspense fallback={<div style={{ minHeight }} />}>
        <Editor {...props} minHeight={minHeight} fill={fill} />
      </Suspense>
    </div>
  );
}
