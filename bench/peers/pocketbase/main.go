// PocketBase as its makers build it, with one more command: "fill" makes collections of the bench and their records, which come
// as lines of JSON, a collection before its records, and prints the ids of the records. Its log of requests is off, as that of
// the server beside it.
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

// A collection that everybody may list, view and change. The type of a field is text, number, bool or the name of an earlier
// collection, to one record of which it relates.
type collection struct {
	Name    string
	Fields  []struct{ Name, Type string }
	Indexes []string
}

func (c *collection) make(app core.App) (*core.Collection, error) {
	made := core.NewBaseCollection(c.Name)
	made.ListRule = types.Pointer("")
	made.ViewRule = types.Pointer("")
	made.UpdateRule = types.Pointer("")
	for _, field := range c.Fields {
		switch field.Type {
		case "text":
			made.Fields.Add(&core.TextField{Name: field.Name})
		case "number":
			made.Fields.Add(&core.NumberField{Name: field.Name})
		case "bool":
			made.Fields.Add(&core.BoolField{Name: field.Name})
		default:
			to, err := app.FindCollectionByNameOrId(field.Type)
			if err != nil {
				return nil, err
			}
			made.Fields.Add(&core.RelationField{Name: field.Name, CollectionId: to.Id, MaxSelect: 1})
		}
	}
	for _, name := range c.Indexes {
		made.AddIndex(c.Name+"_"+name, false, name, "")
	}
	return made, app.Save(made)
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
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	var records *core.Collection
	defer out.Flush()
	for more := true; more; {
		err := app.RunInTransaction(func(tx core.App) error {
			for i := 0; i < batch; i++ {
				if more = in.Scan(); !more {
					return in.Err()
				}
				var line struct {
					Collection *collection
					Record     map[string]any
				}
				if err := json.Unmarshal(in.Bytes(), &line); err != nil {
					return err
				}
				if line.Collection != nil {
					var err error
					if records, err = line.Collection.make(tx); err != nil {
						return err
					}
					continue
				}
				record := core.NewRecord(records)
				record.Load(line.Record)
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
