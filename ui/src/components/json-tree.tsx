import { ChevronRight } from "lucide-react";
import { createContext, Fragment, type KeyboardEvent, type ReactNode, useContext, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { formatBytes, formatCount } from "@/lib/format";
import { countOf, type JsonMember, type JsonNode, membersOf, rootOf, scalarOf, sliceOf, unlessBroken } from "@/lib/json-scan";
import { placeOf } from "@/lib/needle";
import { quotedLine } from "@/lib/untrusted";
import { Marked, useNeedle } from "./marked";
import { Icon } from "./icon";
import { JsonActionButton } from "./json-action-button";
import { HitText } from "./json-hit-text";
import type { TextHit } from "./json-hits";
import { headOf, LongText } from "./long-text";
import { UntrustedText } from "./their-voice";

/** How many members are shown at once. The rest is shown on request, so that a list of thousands opens quickly. */
const SLICE = 100;
/** How many members around a later hit are shown. */
const AROUND_HIT = { before: 10, after: 40 };
const LONG_STRING = 600;
/** A level with more text is not searched before it is opened. */
const SEARCHED_UP_TO = 200_000;
const INDENT = 14;
const GUTTER = 18;

/** The current hit. All levels around it are open. */
const Hit = createContext<TextHit | null>(null);

const isIn = (node: JsonNode, hit: TextHit | null): hit is TextHit => hit !== null && node.start <= hit.start && hit.start < node.end;

/**
 * JSON text as a collapsible tree, parsed from the text itself: numbers keep their digits, and duplicate keys and their
 * order stay. Levels are parsed when they are opened. Text that isn't JSON is shown unchanged.
 */
export function JsonTree({ text, hit = null, className }: { text: string; hit?: TextHit | null; className?: string }) {
  const root = readRoot(text);
  if (!root)
    return (
      <span className={cx("mono selectable block leading-[19px] whitespace-pre-wrap wrap-any", className)}>
        <HitText text={text} hit={hit} />
      </span>
    );
  return (
    // A single Tab stop. The arrow keys move between the levels.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div onKeyDown={onKeyDown} className={cx("mono selectable min-w-0 leading-[19px] wrap-any", className)}>
      <Hit value={hit}>
        <Value text={text} node={root} depth={0} label={null} last />
      </Hit>
    </div>
  );
}

/** Up and down move between levels, right opens, left closes or moves to the parent. */
function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
  const fold = event.target;
  if (!(fold instanceof HTMLButtonElement) || !fold.dataset["fold"] || event.altKey || event.ctrlKey || event.metaKey) return;
  const folds = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("button[data-fold]")];
  const at = folds.indexOf(fold);
  const open = fold.ariaExpanded === "true";
  const depth = Number(fold.dataset["fold"]);
  const moves: Record<string, () => void> = {
    ArrowDown: () => folds[at + 1]?.focus(),
    ArrowUp: () => folds[at - 1]?.focus(),
    ArrowRight: () => (open || fold.dataset["leaf"] ? folds[at + 1]?.focus() : fold.click()),
    ArrowLeft: () =>
      open
        ? fold.click()
        : folds
            .slice(0, at)
            .findLast((other) => !other.dataset["leaf"] && Number(other.dataset["fold"]) < depth)
            ?.focus(),
  };
  const move = moves[event.key];
  if (!move) return;
  event.preventDefault();
  move();
}

const NONE: ReturnType<typeof sliceOf> = { members: [], more: false };

function readRoot(text: string): JsonNode | null {
  return unlessBroken(() => rootOf(text), null);
}

/** Null if the text is invalid. */
function readSlice(text: string, node: JsonNode, limit: number): ReturnType<typeof sliceOf> | null {
  return unlessBroken(() => sliceOf(text, node, limit), null);
}

/** What is open at first: the two outer levels, small ones below, and those that contain the search text. */
function opensAtFirst(text: string, node: JsonNode, depth: number, needle: string): boolean {
  const size = node.end - node.start;
  if (needle !== "" && size <= SEARCHED_UP_TO && placeOf(text.slice(node.start, node.end), needle) !== -1) return true;
  return depth <= 1 || (depth <= 2 && size <= 4_000) || (depth <= 5 && size <= 800);
}

/** Calls `lead` when the hit changes, so that later collapsing by the person lasts. */
function useLed(lead: (hit: TextHit) => void): TextHit | null {
  const hit = useContext(Hit);
  const [led, setLed] = useState<TextHit | null>(null);
  if (hit !== led) {
    setLed(hit);
    if (hit !== null) lead(hit);
  }
  return hit;
}

interface ValueProps {
  text: string;
  node: JsonNode;
  depth: number;
  label: string | null;
  /** The hit in the label. */
  named?: TextHit | null;
  last: boolean;
}

function Value(props: ValueProps) {
  const { kind } = props.node;
  return kind === "object" || kind === "array" ? <Branch {...props} /> : <Leaf {...props} />;
}

function Line({ depth, children }: { depth: number; children: ReactNode }) {
  return (
    <div className="group/line relative whitespace-pre-wrap" style={{ paddingLeft: depth * INDENT + GUTTER }}>
      {children}
    </div>
  );
}

function Label({ label, named = null }: { label: string | null; named?: TextHit | null | undefined }) {
  if (label === null) return null;
  return (
    <>
      <span className="text-info">
        &quot;
        {named ? <HitText text={label} hit={named} /> : <UntrustedText text={label} />}
        &quot;
      </span>
      {": "}
    </>
  );
}

function Branch({ text, node, depth, label, named, last }: ValueProps) {
  const { t } = useTranslation();
  const needle = useNeedle();
  const [open, setOpen] = useState(() => opensAtFirst(text, node, depth, needle));
  useLed((hit) => isIn(node, hit) && setOpen(true));
  const [limit, setLimit] = useState(SLICE);
  const [before, after] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  const empty = node.end - node.start <= 2 || text.slice(node.start + 1, node.end - 1).trim() === "";
  if (empty)
    return (
      <Line depth={depth}>
        <Label label={label} named={named} />
        {before}
        {after}
        {!last && ","}
      </Line>
    );
  const toggle = () => setOpen(!open);
  return (
    <>
      <Line depth={depth}>
        <button
          type="button"
          data-fold={depth + 1}
          tabIndex={depth === 0 ? 0 : -1}
          aria-expanded={open}
          aria-label={t(open ? "json.fold" : "json.unfold", {
            name: label !== null ? quotedLine(label) : t(`json.${node.kind === "object" ? "object" : "array"}`),
          })}
          onClick={toggle}
          style={{ left: depth * INDENT }}
          className="absolute top-0.5 grid size-3.75 place-items-center rounded-xs text-fg-3 hover:bg-hover hover:text-fg"
        >
          <Icon of={ChevronRight} size={12} className={cx("transition-transform", open && "rotate-90")} />
        </button>
        <Label label={label} named={named} />
        {open ? (
          before
        ) : (
          // The chevron is the control. Clicking the summary is a shortcut for the mouse.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
          <span className="rounded-xs hover:bg-hover" onClick={toggle}>
            {before}
            <Summary text={text} node={node} />
            {after}
            {!last && ","}
          </span>
        )}
        <JsonActionButton json={() => text.slice(node.start, node.end)} name={label} depth={depth} />
      </Line>
      {open && (
        <>
          <Members text={text} node={node} depth={depth + 1} limit={limit} onMore={() => setLimit(limit + SLICE * 5)} />
          <Line depth={depth}>
            {after}
            {!last && ","}
          </Line>
        </>
      )}
    </>
  );
}

function Members({ text, node, depth, limit, onMore }: { text: string; node: JsonNode; depth: number; limit: number; onMore: () => void }) {
  const { t } = useTranslation();
  const hit = useContext(Hit);
  const slice = readSlice(text, node, limit);
  if (!slice)
    return (
      <Line depth={depth}>
        <LongText text={text.slice(node.start + 1, node.end - 1)} />
      </Line>
    );
  const around = slice.more && isIn(node, hit) ? unlessBroken(() => membersAround(text, node, hit, limit), NONE) : NONE;
  const more = (
    <Line depth={depth}>
      <MoreButton onClick={onMore}>{t("json.more", { count: SLICE * 5 })}</MoreButton>
    </Line>
  );
  const isCut = around.members.length > 0 ? around.more : slice.more;
  const members = [...slice.members, ...around.members];
  // A key comes before its value.
  const holder = isIn(node, hit) ? members.find(({ value }) => hit.start < value.end) : undefined;
  return members.map((member, index) => {
    const isLast = index === members.length - 1;
    return (
      <Fragment key={member.index}>
        {index === slice.members.length && member.index > index && more}
        <Value
          text={text}
          node={member.value}
          depth={depth}
          label={member.key}
          named={holder === member && hit !== null && hit.start < member.value.start ? hit : null}
          last={!isCut && isLast}
        />
        {isCut && isLast && more}
      </Fragment>
    );
  });
}

/** The members around a hit after the first `limit`. Empty if the hit is among those. */
function membersAround(text: string, node: JsonNode, hit: TextHit, limit: number): ReturnType<typeof sliceOf> {
  let members: JsonMember[] = [];
  let found: number | null = null;
  for (const member of membersOf(text, node)) {
    if (found !== null && member.index > found + AROUND_HIT.after) return { members, more: true };
    if (found === null && hit.start < member.value.end) found = member.index;
    if (found !== null && found < limit) break;
    if (member.index >= limit) members.push(member);
    if (found === null) members = members.slice(-AROUND_HIT.before);
  }
  return { members: found === null || found < limit ? [] : members, more: false };
}

/** The content of a collapsed branch: the number of members, or its size if counting would take long. */
function Summary({ text, node }: { text: string; node: JsonNode }) {
  const { t, i18n } = useTranslation();
  const count = unlessBroken(() => countOf(text, node), null);
  const words =
    count === null
      ? formatBytes(node.end - node.start, i18n.language)
      : t(node.kind === "object" ? "json.keys" : "json.items", { count, shown: formatCount(count, i18n.language) });
  return <span className="px-1 font-ui text-xs text-fg-3">{words}</span>;
}

function Leaf({ text, node, depth, label, named, last }: ValueProps) {
  const { t, i18n } = useTranslation();
  const [whole, setWhole] = useState(false);
  const gone = useLed((hit) => isIn(node, hit) && hit.offset + hit.length > LONG_STRING && setWhole(true));
  const hit = isIn(node, gone) ? gone : null;
  const action = <JsonActionButton json={() => text.slice(node.start, node.end)} name={label} depth={depth} stop={depth === 0} />;
  const value = scalarOf(text, node);
  if (node.kind !== "string") {
    return (
      <Line depth={depth}>
        <Label label={label} named={named} />
        <span className="text-wait">{hit ? <HitText text={value} hit={hit} /> : <Marked text={value} />}</span>
        {!last && ","}
        {action}
      </Line>
    );
  }
  const cut = !whole && value.length > LONG_STRING * 1.2;
  const shown = cut ? headOf(value, LONG_STRING) : value;
  return (
    <Line depth={depth}>
      <Label label={label} named={named} />
      <span className="text-ok">
        &quot;
        {hit || whole ? <HitText text={shown} hit={hit} /> : <UntrustedText text={shown} />}
        {cut ? "…" : '"'}
      </span>
      {!last && ","}
      {cut && <MoreButton onClick={() => setWhole(true)}>{t("json.whole", { size: formatBytes(value.length, i18n.language) })}</MoreButton>}
      {action}
    </Line>
  );
}

function MoreButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="ml-1 rounded-xs px-1 font-ui text-xs font-medium text-accent hover:bg-hover">
      {children}
    </button>
  );
}
