import { lazy, Suspense } from "react";
import { cx } from "@/lib/cx";

/** A mistake in the text and its place. Lines and columns count from 1. */
export interface Mistake {
  line: number;
  column: number;
  message: string;
  /** The length of the mistake in characters. 1 by default. */
  length?: number;
  severity?: "error" | "warning";
}

export interface CodeEditorProps {
  value: string;
  onChange: (value: string) => void;
  /** The accessible name. */
  label: string;
  mistakes?: readonly Mistake[];
  placeholder?: string;
  readOnly?: boolean;
  /** Grows with its content between these heights (px and a CSS length). */
  minHeight?: number;
  maxHeight?: string;
  /** Fills the height of its flex column instead. */
  fill?: boolean;
  /** Takes the focus when it appears. */
  takeFocus?: boolean;
  /** Gets a function that moves the cursor. */
  onReady?: (goTo: (line: number, column: number) => void) => void;
  className?: string;
}

const Editor = lazy(() => import("./code-editor-view").then((module) => ({ default: module.CodeEditorView })));

/** A JSON editor with highlighting, bracket matching, search, undo, and marks for mistakes. Loaded on first use. */
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
