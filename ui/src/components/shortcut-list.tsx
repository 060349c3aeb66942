import { useTranslation } from "react-i18next";
import { Kbd } from "./kbd";

const groups = [
  {
    name: "window",
    keys: {
      palette: ["mod+k"],
      places: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"],
      inbox: ["i"],
      settings: ["mod+,"],
      zoomIn: ["mod++"],
      zoomOut: ["mod+-"],
      zoomReset: ["mod+0"],
      help: ["?"],
      close: ["escape"],
      undo: ["mod+z"],
      quit: ["mod+q"],
    },
  },
  {
    name: "inbox",
    keys: {
      rows: ["j", "k"],
      accept: ["mod+enter"],
      decline: ["mod+backspace"],
      later: ["z"],
      laterHour: ["shift+z"],
      back: ["b"],
      decisions: ["d"],
    },
  },
  {
    name: "servers",
    keys: {
      add: ["n"],
      filter: ["/"],
      rows: ["j", "k"],
      pick: ["x", "space"],
      pickMore: ["shift+↓", "shift+↑"],
      pickAll: ["mod+a"],
      open: ["enter"],
      tool: ["o", "a", "x"],
      startStop: ["s"],
      restart: ["r"],
      signIn: ["l"],
      remove: ["backspace"],
    },
  },
  { name: "apps", keys: { filter: ["/"], rows: ["j", "k"] } },
  {
    name: "workbench",
    keys: {
      run: ["mod+enter"],
      cancel: ["mod+."],
      answer: ["a"],
      search: ["/"],
      tabs: ["mod+pageup", "mod+pagedown"],
      closeTab: ["mod+w"],
    },
  },
  { name: "activity", keys: { filter: ["/"], rows: ["j", "k"], unfold: ["right", "left"], hits: ["F3", "shift+F3"], pause: ["space"] } },
  { name: "settings", keys: { filter: ["/"], rows: ["j", "k"] } },
  { name: "accounts", keys: { filter: ["/"], rows: ["j", "k"], refresh: ["r"], signOut: ["backspace"] } },
] as const;

/** With more keys than this, only the first and the last are shown. */
const RANGE = 4;

/** Every shortcut of the window, by screen. */
export function ShortcutList() {
  const { t } = useTranslation();
  return (
    <div className="@container">
      <div className="gap-x-10 @min-[560px]:columns-2">
        {groups.map((group) => (
          <section key={group.name} aria-label={t(`shortcuts.${group.name}.title`)} className="break-inside-avoid pb-5">
            <h3 className="m-0 mb-1 text-xs font-semibold text-fg-3">{t(`shortcuts.${group.name}.title`)}</h3>
            <dl className="m-0">
              {Object.entries<readonly string[]>(group.keys).map(([name, keys]) => (
                <div key={name} className="flex min-h-7.5 items-center gap-3 border-b border-line last:border-0">
                  <dt className="min-w-0 flex-1 py-1 text-fg-2">{t(`shortcuts.${group.name}.${name}` as "shortcuts.window.help")}</dt>
                  <dd className="m-0 flex shrink-0 gap-1">
                    {keys.length > RANGE ? (
                      <>
                        <Kbd keys={keys[0] ?? ""} spoken />…<Kbd keys={keys.at(-1) ?? ""} spoken />
                      </>
                    ) : (
                      keys.map((key) => <Kbd key={key} keys={key} spoken />)
                    )}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </div>
  );
}
