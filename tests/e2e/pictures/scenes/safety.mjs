// Safety: findings, no findings, and an incomplete check.

export const screen = "Safety";

export const scenes = {
  safety: { at: "/safety", list: true },
  "safety-end": {
    at: "/safety",
    act: (visitor) => visitor.session.execute("document.querySelector('main ul:last-of-type')?.scrollIntoView(false)"),
  },
  "safety-fine": {
    at: "/safety",
    act: async (visitor) => {
      for (let count = 0; count < 2; count += 1) await visitor.clickCss("main ul button");
      await visitor.clickCss("main details summary");
      await visitor.session.execute(
        "document.querySelector('main details').scrollIntoView(false); localStorage.removeItem('mooring.safety.hidden')",
      );
    },
  },
  "safety-nothing": { scene: "empty", at: "/safety" },
  "safety-partly": { scene: "failed_list_rules", at: "/safety" },
};
