// PocketBase as its makers build it, with one more command: "fill" makes the collection of the bench and the records that
// come as lines of JSON, and prints their ids. Its log of requests is off, as that of the server beside it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
	"github.com/spf13/cobra"
)

// Records of one transaction.
const batch = 1000

func main() {
	app := pocketbase.New()
	app.RootCmd.AddCommand(&cobra.Command{
		Use:  "fill",
		RunE: func(*cobra.Command, []string) error { return fill(app) },
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

func fill(app core.App) error {
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	app.Settings().Logs.MaxDays = 0
	if err := app.Save(app.Settings()); err != nil {
		return err
	}
	// Without one, it would open a browser when it starts.
	admins, err := app.FindCollectionByNameOrId(core.CollectionNameSuperusers)
	if err != nil {
		return err
	}
	admin := core.NewRecord(admins)
	admin.SetEmail("bench@example.com")
	admin.SetRandomPassword()
	if err := app.Save(admin); err != nil {
		return err
	}
	items := core.NewBaseCollection("items")
	items.ListRule = types.Pointer("")
	items.ViewRule = types.Pointer("")
	items.UpdateRule = types.Pointer("")
	items.Fields.Add(
		&core.TextField{Name: "name"},
		&core.TextField{Name: "code"},
		&core.NumberField{Name: "rank"},
		&core.NumberField{Name: "price"},
		&core.BoolField{Name: "active"},
		&core.TextField{Name: "note"},
		&core.TextField{Name: "kind"},
	)
	items.AddIndex("items_code", false, "code", "")
	items.AddIndex("items_rank", false, "rank", "")
	items.AddIndex("items_kind", false, "kind", "")
	if err := app.Save(items); err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for more := true; more; {
		err := app.RunInTransaction(func(tx core.App) error {
			for i := 0; i < batch; i++ {
				if more = in.Scan(); !more {
					return in.Err()
				}
				var values map[string]any
				if err := json.Unmarshal(in.Bytes(), &values); err != nil {
					return err
				}
				record := core.NewRecord(items)
				record.Load(values)
				if err := tx.SaveNoValidate(record); err != nil {
					return err
				}
				fmt.Fprintln(out, record.Id)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
