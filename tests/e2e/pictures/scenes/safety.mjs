// Safety: what is weak, and where nothing is, or not everything could be looked for.

export const screen = "Safety";

const hidden = ["unreviewed all", "changed 6"];

export const scenes = {
  safety: { at: "/safety", list: true },
  "safety-end": {
    at: "/safety",
    act: (visitor) => visitor.session.execute("document.querySelector('main ul:last-of-type')?.scrollIntoView(false)"),
  },
  "safety-fine": {
    at: "/models",
    act: async (visitor) => {
      await visitor.session.execute(
        "localStorage.setItem('mooring.safety.hidden', arguments[0]); location.hash = '/safety'",
        JSON.stringify(hidden),
      );
      await visitor.css("main details summary");
      await visitor.session.execute(
        "const fold = document.querySelector('main details'); fold.open = true; fold.scrollIntoView(false); localStorage.removeItem('mooring.safety.hidden')",
      );
    },
  },
  "safety-nothing": { scene: "empty", at: "/safety" },
  "safety-partly": { scene: "failed_list_rules", at: "/safety" },
};
